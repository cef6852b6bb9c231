// A first draft that lets everybody remove whom they suspect.

import { Member } from '../member.mjs';
import { runNode } from '../node.mjs';

class Draft extends Member {
  suspect(member, why, fields = {}) {
    if (!this.has(member) || this.suspects(member)) return;
    this.line.tell('Suspected', { peer: member, why, ...fields });
    this.remove(member, why);
  }
}

runNode(Draft);
