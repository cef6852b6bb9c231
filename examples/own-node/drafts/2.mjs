// A first draft that lets somebody in without a new number for the list.

import { Member } from '../member.mjs';
import { runNode } from '../node.mjs';

class Draft extends Member {
  admit(joiner) {
    this.publish([...this.list.members, joiner], this.list.version);
  }
}

runNode(Draft);
