// A first draft that does not raise the number of the list when a new master takes over.

import { Member } from '../member.mjs';
import { runNode } from '../node.mjs';

class Draft extends Member {
  takeOver(newest, followers) {
    this.claim = null;
    this.publish([this.me, ...followers], newest.version);
  }
}

runNode(Draft);
