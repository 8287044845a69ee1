// The same few drawing calls, onto a canvas or into an SVG, so that what is saved is what was on the screen.

class CanvasPainter {
  constructor(context, font) {
    this.context = context;
    this.font = font;
  }

  rect(x, y, w, h, fill, alpha = 1) {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, w, h);
    this.context.globalAlpha = 1;
  }

  line(x0, y0, x1, y1, stroke, width = 1, dash = [], alpha = 1) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
  }

  text(string, x, y, { size = 12, weight = 400, fill, align = "left" } = {}) {
    const c = this.context;
    c.font = `${weight} ${size}px ${this.font}`;
    c.fillStyle = fill;
    c.textAlign = align;
    c.textBaseline = "alphabetic";
    c.fillText(string, x, y);
  }

  image(canvas, x, y, w, h, alpha = 1) {
    this.context.globalAlpha = alpha;
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(canvas, x, y, w, h);
    this.context.globalAlpha = 1;
  }

  hatch(x, y, w, h, stroke) {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, w, h);
    c.clip();
    c.strokeStyle = stroke;
    c.lineWidth = 1;
    c.beginPath();
    for (let at = -h; at < w; at += HATCH) {
      c.moveTo(x + at, y + h);
      c.lineTo(x + at + h, y);
    }
    c.stroke();
    c.restore();
  }

  measure(string, size, weight = 400) {
    this.context.font = `${weight} ${size}px ${this.font}`;
    return this.context.measureText(string).width;
  }

  // The string, cut with an ellipsis to at most `room` pixels. By characters, so that no emoji is halved.
  fit(string, room, size, weight = 400) {
    if (this.measure(string, size, weight) <= room) return string;
    const characters = [...string];
    while (characters.length > 1) {
      characters.pop();
      const shorter = characters.join("") + "…";
      if (this.measure(shorter, size, weight) <= room) return shorter;
    }
    return characters[0] ?? "";
  }
}

const HATCH = 7;
const SVG = "http://www.w3.org/2000/svg";

class SvgPainter {
  constructor(width, height, margin, font, ruler) {
    this.ruler = ruler; // a CanvasPainter: it can measure text
    this.font = font;
    const viewBox = `${-margin} ${-margin} ${width} ${height}`;
    this.root = this.node("svg", { xmlns: SVG, width, height, viewBox, "font-family": font }, null);
  }

  node(name, attributes, parent = this.root) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    parent?.append(node);
    return node;
  }

  rect(x, y, width, height, fill, opacity = 1) {
    this.node("rect", { x, y, width, height, fill, opacity });
  }

  line(x1, y1, x2, y2, stroke, width = 1, dash = [], opacity = 1) {
    this.node("line", { x1, y1, x2, y2, stroke, "stroke-width": width, "stroke-dasharray": dash.join(" ") || "none", opacity });
  }

  text(string, x, y, { size = 12, weight = 400, fill, align = "left" } = {}) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    const node = this.node("text", { x, y, fill, "font-size": size, "font-weight": weight, "text-anchor": anchor, direction: "ltr" });
    node.textContent = string;
  }

  image(canvas, x, y, width, height, opacity = 1) {
    const style = "image-rendering: pixelated";
    this.node("image", { href: canvas.toDataURL(), x, y, width, height, opacity, style, preserveAspectRatio: "none" });
  }

  hatch(x, y, w, h, stroke) {
    let path = "";
    for (let at = HATCH; at < w + h; at += HATCH) {
      const x0 = Math.min(at, w), y0 = at - x0, y1 = Math.min(at, h), x1 = at - y1;
      path += `M${x + x0} ${y + y0}L${x + x1} ${y + y1}`;
    }
    this.node("path", { d: path, stroke, fill: "none" });
  }

  measure(string, size, weight) {
    return this.ruler.measure(string, size, weight);
  }

  fit(string, room, size, weight) {
    return this.ruler.fit(string, room, size, weight);
  }

  toString() {
    return new XMLSerializer().serializeToString(this.root);
  }
}
