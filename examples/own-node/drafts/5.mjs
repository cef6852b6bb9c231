// A first draft that believes every list with a greater number.

import { Member, same } from '../member.mjs';
import { runNode } from '../node.mjs';

class Draft extends Member {
  onList(from, list) {
    const listed = list.members.some((member) => same(member, this.me));
    if (!this.joined && listed) {
      this.follow(from, 'finalize-join');
      this.install(list, 'finalize-join');
      this.line.tell('Joined', { founded: false });
    } else if (this.joined) {
      this.alive(from, 'its-list');
      if (listed && list.version > this.list.version) this.install(list);
      this.claimIfDue();
    }
  }
}

runNode(Draft);
