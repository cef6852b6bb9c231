// The line to Shaketable (docs/contract.md): its orders come in, and what the member does is told.

import net from 'node:net';

/** The monotonic clock of the machine, in microseconds. */
export const now = () => Number(process.hrtime.bigint() / 1000n);

export const write = (socket, form) => socket.write(`${JSON.stringify(form)}\n`);

export function read(socket, heard) {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    try {
      lines.map((line) => JSON.parse(line)).forEach(heard);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      socket.destroy(); // no JSON: not one of us
    }
  });
}

export class Line {
  #socket = new net.Socket({ fd: Number(process.env.SHAKETABLE_FD) });
  #told = 0;

  constructor(incarnation) {
    this.incarnation = incarnation;
  }

  open(obey) {
    read(this.#socket, obey);
    this.#socket.on('error', () => process.exit());
    this.#socket.on('close', () => process.exit());
    this.say({ type: 'ready', contract: 1 });
  }

  /** It never waits: what the harness does not read yet stays in memory. */
  say(form) {
    write(this.#socket, form);
  }

  tell(kind, fields = {}) {
    this.#told += 1;
    const event = { kind, ...fields };
    this.say({ type: 'reported', time: now(), incarnation: this.incarnation, sequence: this.#told, event });
  }

  /** What was said is still written, and nothing after it. */
  close() {
    this.say = () => {};
    this.#socket.end(() => process.exit(0));
  }
}
