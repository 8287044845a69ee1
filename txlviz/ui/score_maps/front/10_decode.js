// The block of bytes that figures/payload.py packs: a header, and arrays that are views into it.

const ARRAY_TYPES = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array };

function unpack(block) {
  const buffer = block.slice().buffer; // a copy begins at a multiple of 4, which typed arrays ask for
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, [type, shape, offset]] of Object.entries(header.arrays)) {
    const count = shape.reduce((product, n) => product * n, 1);
    arrays[name] = new ARRAY_TYPES[type](buffer, 4 + length + offset, count);
    arrays[name].shape = shape;
  }
  return { header, arrays };
}
