package main

import (
	"sort"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// Member is how the contract names one: its address, and the identity of its process.
type Member [2]string

// Members is the set of those that this node takes for alive, and what is told of it. memberlist calls it under the
// lock of its own state: so each change is told before any other follows from it.
type Members struct {
	line *Line
	self Member

	lock     sync.Mutex
	alive    map[string]Member
	seen     map[string]bool
	joined   bool
	leaving  bool
	stopped  bool
	sequence int
}

var _ memberlist.EventDelegate = (*Members)(nil)

func newMembers(line *Line, self Member) *Members {
	members := &Members{line: line, self: self, alive: map[string]Member{}, seen: map[string]bool{}}
	members.report(fields{"kind": "Started", "member": self})
	return members
}

func (members *Members) NotifyJoin(node *memberlist.Node) {
	members.lock.Lock()
	defer members.lock.Unlock()
	members.alive[node.Name] = Member{node.Name, string(node.Meta)}
	members.seen[node.Name] = true
	if len(members.alive) > 1 {
		members.join(false)
	}
	members.tell()
}

// NotifyUpdate comes where a process has started again before anybody missed the one before it.
func (members *Members) NotifyUpdate(node *memberlist.Node) {
	members.NotifyJoin(node)
}

func (members *Members) NotifyLeave(node *memberlist.Node) {
	members.lock.Lock()
	defer members.lock.Unlock()
	delete(members.alive, node.Name)
	members.tell()
}

// Found is called where nobody was there who could be joined.
func (members *Members) Found() {
	members.lock.Lock()
	defer members.lock.Unlock()
	if !members.joined {
		members.join(true)
		members.tell()
	}
}

func (members *Members) Leave() {
	members.lock.Lock()
	defer members.lock.Unlock()
	members.leaving = true
	members.report(fields{"kind": "Leaving"})
}

func (members *Members) Stop() {
	members.lock.Lock()
	defer members.lock.Unlock()
	members.report(fields{"kind": "Stopped"})
	members.stopped = true
}

// WatchTheMachine tells when this process got no processor for longer than an interval: memberlist is not to blame for
// what comes of that.
func (members *Members) WatchTheMachine(interval time.Duration) {
	for last := monotonic(); ; last = monotonic() {
		time.Sleep(interval)
		if stood := monotonic() - last - interval.Microseconds(); stood > interval.Microseconds() {
			members.lock.Lock()
			members.report(fields{"kind": "StoodStill", "lasted": stood})
			members.lock.Unlock()
		}
	}
}

func (members *Members) Has(name string) bool {
	members.lock.Lock()
	defer members.lock.Unlock()
	_, has := members.alive[name]
	return has
}

// HasSeen says whether it ever was a member here.
func (members *Members) HasSeen(name string) bool {
	members.lock.Lock()
	defer members.lock.Unlock()
	return members.seen[name]
}

func (members *Members) join(founded bool) {
	if !members.joined {
		members.joined = true
		members.report(fields{"kind": "Joined", "founded": founded})
	}
}

// tell says nothing before it has joined, and nothing of a set that it is leaving.
func (members *Members) tell() {
	if !members.joined || members.leaving {
		return
	}
	set := make([]Member, 0, len(members.alive))
	for _, member := range members.alive {
		set = append(set, member)
	}
	sort.Slice(set, func(i, j int) bool { return set[i][0] < set[j][0] })
	members.report(fields{"kind": "MembersSeen", "members": set})
}

func (members *Members) report(event fields) {
	if members.stopped {
		return
	}
	members.sequence++
	members.line.Say(fields{
		"type":        "reported",
		"time":        monotonic(),
		"incarnation": members.self[1],
		"sequence":    members.sequence,
		"event":       event,
	})
}

// identity is what the other members are told of this one beside its name, by memberlist's Delegate.
type identity string

var _ memberlist.Delegate = identity("")

func (own identity) NodeMeta(int) []byte { return []byte(own) }

func (own identity) NotifyMsg([]byte) {}

func (own identity) GetBroadcasts(int, int) [][]byte { return nil }

func (own identity) LocalState(bool) []byte { return nil }

func (own identity) MergeRemoteState([]byte, bool) {}
