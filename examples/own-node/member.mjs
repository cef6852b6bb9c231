// A member of a cluster. The oldest member is the master. It alone changes the list of members, and gives each list a
// number. All send heartbeats to all. Whoever suspects everybody older claims the mastership.

import { now } from './line.mjs';

const SECOND = 1_000_000;

/** A member is [address, identity]. */
export const same = (one, other) => one[1] === other[1];
const older = (member, members) => members.slice(0, members.findIndex((each) => same(each, member)));
const younger = (member, members) => members.slice(members.findIndex((each) => same(each, member)) + 1);

export class Member {
  list = { version: 0, author: '', members: [] };
  master = null; // whom I follow
  peers = new Map(); // what I know of each other member of my list, by its identity
  claim = null; // the answers to mine, while I claim the mastership
  leaving = false;

  constructor(run, line, links) {
    this.line = line;
    this.me = this.whoIAm(run);
    this.links = links;
    this.asked = new Set(run.join.filter((address) => address !== run.address));
    this.answers = new Map(); // of those whom I asked, by address: who else looks for a cluster there, or null
    this.rivals = new Set(); // who asked me while I was looking
    this.looks = 0;
    const of = run.settings;
    this.interval = of.heartbeat_interval_seconds * SECOND;
    this.timeout = of.heartbeat_timeout_seconds * SECOND;
    this.publishInterval = of.member_list_publish_interval_seconds * SECOND;
    this.monitorInterval = of.connection_monitor_interval_millis * 1000;
    this.grace = of.connection_monitor_max_faults * this.monitorInterval;
    this.claimTimeout = of.mastership_claim_timeout_seconds * SECOND;
    this.joinRetry = of.join_retry_seconds * SECOND;
    this.joinPatience = of.join_patience_seconds * SECOND;
    this.longestJoin = of.max_join_seconds * SECOND;
  }

  whoIAm(run) {
    return [run.address, this.line.incarnation];
  }

  start() {
    this.line.tell('Started', { member: this.me });
    this.roundDue = now() + this.interval;
    this.every(this.interval, () => this.round());
    this.every(this.monitorInterval, () => this.watch());
    this.every(this.publishInterval, () => this.leads && this.send(this.others, 'list', { list: this.list }));
    this.every(this.joinRetry, () => this.joined || this.look());
    this.look();
  }

  every(micros, work) {
    setInterval(work, micros / 1000);
  }

  // What I know

  get joined() {
    return this.list.version > 0;
  }

  get leads() {
    return this.joined && same(this.master, this.me) && !this.claim;
  }

  get others() {
    return this.list.members.filter((member) => !same(member, this.me));
  }

  get trusted() {
    return this.others.filter((member) => !this.suspects(member));
  }

  has(member) {
    return this.list.members.some((each) => same(each, member));
  }

  suspects(member) {
    return this.peers.get(member[1])?.suspected ?? false;
  }

  suspectsAllOlder(member) {
    return older(member, this.list.members).every((each) => this.suspects(each));
  }

  // Messages

  send(to, kind, fields = {}) {
    for (const [address, identity] of to) this.links.send(address, { kind, from: this.me, to: identity, ...fields });
  }

  heard(message) {
    const { kind, from, to } = message;
    if (to && to !== this.me[1]) return; // for the one who had my address before me
    if (kind === 'join') this.onJoin(from);
    if (kind === 'looking') this.answers.set(from[0], message.rivals);
    if (kind === 'follows') this.onFollows(from, message.master);
    if (kind === 'list') this.onList(from, message.list);
    if (kind === 'heartbeat') this.alive(from, 'heartbeat');
    if (kind === 'claim') this.onClaim(from);
    if (kind === 'accepted' || kind === 'refused') this.onAnswer(from, message.list);
    if (kind === 'leaving') this.onLeaving(from);
    if (kind === 'left') this.stop();
    if (kind === 'probe') this.line.say({ ...message.probe, type: 'probeheard', heard: now() });
  }

  linkUp(address) {
    this.line.tell('LinkUp', { address });
  }

  linkDown(address) {
    this.line.tell('LinkDown', { address });
  }

  // Joining

  /** Asks everybody who may be a member. The first of those who look for a cluster founds one. */
  look() {
    const waited = this.looks++ * this.joinRetry;
    if (waited > this.longestJoin || (waited >= this.joinPatience && this.mayFound())) return this.found();
    this.send([...this.asked].map((address) => [address]), 'join');
  }

  mayFound() {
    const alive = [...this.asked].filter((address) => this.links.isUp(address));
    const isFirst = (rivals) => rivals.every((address) => this.me[0] <= address);
    return alive.every((address) => this.answers.get(address) && isFirst([address, ...this.answers.get(address)]));
  }

  found() {
    this.follow(this.me, 'founded');
    this.install({ version: 1, author: this.me[1], members: [this.me] }, 'founded');
    this.line.tell('Joined', { founded: true, why: 'nobody-alive' });
  }

  onJoin(joiner) {
    if (!this.joined) return this.isRival(joiner);
    const before = this.others.filter(([address, identity]) => address === joiner[0] && identity !== joiner[1]);
    for (const member of before) this.suspect(member, 'new-identity');
    if (!this.leads) this.send([joiner], 'follows', { master: this.master[0] });
    else if (this.has(joiner)) this.send([joiner], 'list', { list: this.list });
    else if (this.links.isUp(joiner[0])) this.admit(joiner);
    else this.links.open(joiner[0]); // it will ask again
  }

  isRival(joiner) {
    this.rivals.add(joiner[0]);
    const rivals = [...this.rivals].filter((address) => this.links.isUp(address));
    this.send([joiner], 'looking', { rivals });
  }

  admit(joiner) {
    this.publish([...this.list.members, joiner]);
  }

  onFollows(from, master) {
    this.answers.set(from[0], null);
    this.asked.add(master);
  }

  // Lists

  publish(members, version = this.list.version + 1) {
    this.install({ version, author: this.me[1], members });
    this.send(this.others, 'list', { list: this.list });
  }

  onList(from, list) {
    const listed = list.members.some((member) => same(member, this.me));
    if (!this.joined && listed) {
      this.follow(from, 'finalize-join');
      this.install(list, 'finalize-join');
      this.line.tell('Joined', { founded: false });
    } else if (this.joined && same(from, this.master)) {
      this.alive(from, 'its-list');
      if (listed && list.version > this.list.version) this.install(list);
      this.claimIfDue();
    }
  }

  install(list, why = 'members-update') {
    this.list = list;
    const unknown = () => ({ suspected: false, since: now(), heard: now() });
    this.peers = new Map(this.others.map(([, identity]) => [identity, this.peers.get(identity) ?? unknown()]));
    this.line.tell('ViewInstalled', { ...list, master: this.master, why });
  }

  follow(master, why) {
    this.master = master;
    this.line.tell('MasterFollowed', { master, why });
  }

  remove(member, why) {
    const version = this.list.version + 1;
    this.line.tell('MemberRemoved', { peer: member, version, why });
    this.publish(this.list.members.filter((each) => !same(each, member)), version);
  }

  // Suspicion

  round() {
    const late = now() - this.roundDue;
    this.roundDue = now() + this.interval;
    const overslept = late > this.timeout / 2; // then it is my own fault that I heard nobody
    if (overslept) for (const peer of this.peers.values()) peer.heard = now();
    if (late > this.interval) this.line.tell('RoundLate', { lateness: late, afresh: overslept });
    for (const member of this.trusted) {
      const silence = now() - this.peers.get(member[1]).heard;
      if (silence >= this.timeout) this.suspect(member, 'no-heartbeat', { silence });
    }
    this.send(this.trusted, 'heartbeat');
  }

  watch() {
    for (const member of this.trusted) if (this.isCutOff(member)) this.suspect(member, 'connection-lost');
    if (this.claim) this.goOnClaiming();
    else if (this.joined) this.hangUp();
    if (this.leaving) this.askToLeave();
  }

  /** On nodes that are no members, when nothing was said to them for some time. */
  hangUp() {
    const members = this.list.members.map(([address]) => address);
    for (const link of this.links.unused(2 * this.interval)) {
      if (members.includes(link.address)) continue;
      this.links.hangUp(link);
      this.line.tell('LinkClosed', { address: link.address });
    }
  }

  /** A connection may be lost for a short time. A first one has the time of a silence. */
  isCutOff([address, identity]) {
    const link = this.links.at(address);
    if (!link?.downAt || link.up) return false;
    const { since } = this.peers.get(identity);
    if (link.wasUp && link.downAt > since) return now() - link.downAt >= this.grace;
    return now() - Math.max(link.downAt, since) >= this.timeout;
  }

  /** The master removes whom it suspects. Another member waits for its turn to be master. */
  suspect(member, why, fields = {}) {
    if (!this.has(member) || this.suspects(member)) return;
    this.line.tell('Suspected', { peer: member, why, ...fields });
    if (this.leads) return this.remove(member, why);
    this.peers.get(member[1]).suspected = true;
    this.claimIfDue();
  }

  alive(member, why) {
    const peer = this.peers.get(member[1]);
    if (!peer) return; // I do not know it, and it will notice that I say nothing
    peer.heard = now();
    const passedOver = older(this.master, this.list.members).some((each) => same(each, member));
    if (peer.suspected && !passedOver && this.links.isUp(member[0])) this.trust(member, why);
  }

  trust(member, why) {
    this.peers.get(member[1]).suspected = false;
    this.line.tell('SuspicionEnded', { peer: member, why });
  }

  // Claiming the mastership

  claimIfDue() {
    if (same(this.master, this.me) || !this.suspectsAllOlder(this.me)) return;
    this.claim = { until: now() + this.claimTimeout, answers: new Map() };
    this.follow(this.me, 'own-claim');
    this.goOnClaiming();
  }

  /** Asks all younger ones of the newest list, until each has said yes or no. */
  goOnClaiming() {
    const { answers, until } = this.claim;
    const lists = [this.list, ...[...answers.values()].filter((list) => list)];
    const newest = lists.reduce((one, other) => (other.version > one.version ? other : one));
    const candidates = younger(this.me, newest.members).filter((member) => !this.suspects(member));
    const silent = candidates.filter((member) => !answers.has(member[1]));
    if (silent.length > 0 && now() < until) return this.send(silent, 'claim');
    this.takeOver(newest, candidates.filter((member) => answers.get(member[1])));
  }

  takeOver(newest, followers) {
    this.claim = null;
    this.publish([this.me, ...followers], newest.version + 1);
  }

  onClaim(candidate) {
    const again = this.joined && same(candidate, this.master);
    if (!again && (this.leads || !this.has(candidate))) return this.send([candidate], 'refused');
    if (!again && (this.suspects(candidate) || !this.suspectsAllOlder(candidate))) return; // it will ask again
    if (!again) {
      this.claim = null;
      this.follow(candidate, 'accepted-claim');
    }
    this.send([candidate], 'accepted', { list: this.list });
  }

  onAnswer(from, list = null) {
    if (!this.claim) return;
    this.claim.answers.set(from[1], list);
    this.goOnClaiming();
  }

  // Leaving

  leave() {
    this.leaving = true;
    this.line.tell('Leaving');
    this.askToLeave();
  }

  askToLeave() {
    if (!this.joined || same(this.master, this.me)) this.stop(); // the next one sees that I am gone
    else this.send([this.master], 'leaving');
  }

  onLeaving(member) {
    if (!this.leads) return;
    if (this.has(member)) this.remove(member, 'left');
    this.send([member], 'left');
  }

  stop() {
    if (!this.leaving) return; // it was answered twice
    this.leaving = false;
    this.line.tell('Stopped');
    this.line.close();
  }
}
