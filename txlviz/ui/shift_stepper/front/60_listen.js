// Buttons, keys, pointer, and the clock of "play".

const BEAT = 1500; // ms between two steps

function go(view, step) {
  view.step = Math.min(Math.max(step, 0), STEPS.length - 1);
  showStep(view);
}

function stop(view) {
  clearInterval(view.clock);
  view.clock = null;
  view.play.textContent = view.words.play;
}

function play(view) {
  if (view.clock) return stop(view);
  view.play.textContent = view.words.pause;
  go(view, view.step === STEPS.length - 1 ? 0 : view.step + 1);
  view.clock = setInterval(() => {
    go(view, view.step + 1);
    if (view.step === STEPS.length - 1) stop(view);
  }, BEAT);
}

function listen(view) {
  const steer = (step) => {
    stop(view);
    go(view, step);
  };
  view.buttons.forEach((button, step) => button.addEventListener("click", () => steer(step)));
  view.previous.addEventListener("click", () => steer(view.step - 1));
  view.next.addEventListener("click", () => steer(view.step + 1));
  view.play.addEventListener("click", () => play(view));
  view.left.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowRight: view.step + 1, ArrowLeft: view.step - 1, Home: 0, End: STEPS.length - 1 }[event.key];
    if (to !== undefined) steer(to);
    else if (event.key === " " && event.target === view.stage) play(view);
    else return;
    event.preventDefault();
  });
  for (const kind of ["pointerover", "click"]) {
    view.stage.addEventListener(kind, (event) => {
      const group = event.target.closest(".cell:not(.gone)");
      if (group) pick(view, Number(group.dataset.n));
    });
    view.loop.addEventListener(kind, (event) => {
      const group = event.target.closest(".cell");
      if (group) pick(view, counterpart(view, Number(group.dataset.i), Number(group.dataset.j)));
    });
  }
}
