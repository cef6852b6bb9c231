// A first draft that names the socket on which it listens.

import { Member } from '../member.mjs';
import { runNode } from '../node.mjs';

class Draft extends Member {
  whoIAm(run) {
    return [run.listen, this.line.incarnation];
  }
}

runNode(Draft);
