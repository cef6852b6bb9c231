// Connections to the other nodes. The side that dials sends; the other one only says welcome. So each direction is a
// link of its own, and can break alone.

import net from 'node:net';
import { now, read, write } from './line.mjs';

const RETRY_MS = 50;
const MOST_WAITING = 1 << 20; // bytes on one link; what does not fit is lost

export class Links {
  #links = new Map();

  constructor(run) {
    this.secret = run.secret;
    this.patience = (run.handshake_limit ?? 1_000_000) / 1000;
  }

  /** `member` is told of all: `linkUp(address)`, `linkDown(address)`, `heard(message)`. */
  listen(where, member, done) {
    this.member = member;
    net.createServer((socket) => this.#accept(socket)).listen(...portAndHost(where), done);
  }

  /** Host and port of each, by the address of the node there. */
  dial(places) {
    for (const [address, place] of Object.entries(places)) {
      const link = this.#links.get(address);
      if (link) link.place = place;
      else this.#open({ address, place, up: false, usedAt: 0, downAt: null, wasUp: false });
    }
  }

  at(address) {
    return this.#links.get(address);
  }

  isUp(address) {
    return this.at(address)?.up ?? false;
  }

  /** Those over which nothing was sent for so long. */
  unused(micros) {
    return [...this.#links.values()].filter((link) => link.up && now() - link.usedAt > micros);
  }

  hangUp(link) {
    link.socket.destroy();
    Object.assign(link, { socket: null, up: false });
  }

  /** After it was hung up. */
  open(address) {
    const link = this.at(address);
    if (link && !link.socket) this.#open(link);
  }

  /** Whether it is on its way: nobody knows whether it arrives. */
  send(address, message) {
    this.open(address);
    const link = this.at(address);
    if (!link?.up || link.socket.writableLength > MOST_WAITING) return false;
    link.usedAt = now();
    write(link.socket, message);
    return true;
  }

  #open(link) {
    this.#links.set(link.address, link);
    const [port, host] = portAndHost(link.place);
    const socket = net.connect({ port, host, noDelay: true });
    link.socket = socket;
    const patience = setTimeout(() => socket.destroy(), this.patience);
    socket.on('connect', () => write(socket, { secret: this.secret }));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(patience);
      if (link.socket !== socket) return; // it was hung up
      this.#down(link);
      setTimeout(() => this.#open(link), RETRY_MS);
    });
    read(socket, () => {
      clearTimeout(patience);
      Object.assign(link, { up: true, usedAt: now() });
      this.member.linkUp(link.address);
    });
  }

  #down(link) {
    if (!link.up && link.downAt) return; // it has not come up since
    Object.assign(link, { up: false, wasUp: link.up, downAt: now() });
    this.member.linkDown(link.address);
  }

  #accept(socket) {
    let known = false;
    socket.on('error', () => {});
    read(socket, (message) => {
      if (known) return this.member.heard(message);
      known = message.secret === this.secret;
      if (known) write(socket, { welcome: true });
      else socket.destroy();
    });
  }
}

function portAndHost(place) {
  const [host, port] = place.split(':');
  return [Number(port), host];
}
