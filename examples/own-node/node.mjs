// A node: a member, its links, and the line to Shaketable.

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Line, now } from './line.mjs';
import { Links } from './links.mjs';
import { Member } from './member.mjs';

export function runNode(MemberClass = Member) {
  const line = new Line(randomUUID());
  let member, links;

  function run(order) {
    links = new Links(order);
    member = new MemberClass(order, line, links);
    links.listen(order.listen, member, () => {
      line.say({ type: 'running' });
      links.dial(order.dial);
      member.start();
    });
  }

  function probe({ nonce, to, padding = 0 }) {
    const sent = now();
    const message = { kind: 'probe', probe: { nonce, sender: member.me[0], sent }, padding: ' '.repeat(padding) };
    line.say({ type: 'probesent', nonce, sent: links.send(to, message) ? sent : null });
  }

  line.open((order) => {
    const done = (fields = {}) => order.order && line.say({ type: 'done', order: order.order, ...fields });
    if (order.type === 'run') run(order);
    else if (order.type === 'dial') done(links.dial(order.dial));
    else if (order.type === 'takesnapshot') line.say({ type: 'snapshot', order: order.order, time: now() });
    else if (order.type === 'leavegracefully') done(), member.leave();
    else if (order.type === 'probe') probe(order);
    else if (order.type === 'stop') process.exit();
    else done({ refusal: `this node knows no order ${order.type}` });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runNode();
