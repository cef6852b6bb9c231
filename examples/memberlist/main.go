// A member of a hashicorp/memberlist cluster as a node of shaketable, by its wire contract: docs/contract.md.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// Node is one process: what it is told to do, and the member that does it.
type Node struct {
	line     *Line
	links    *Links
	settings Settings
	members  *Members
	list     *memberlist.Memberlist
	sought   map[string]bool // those to join, and whether there is a link to each by now
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	line, err := openLine()
	if err != nil {
		log.Fatal(err)
	}
	node := &Node{line: line, sought: map[string]bool{}}
	line.Say(fields{"type": "ready", "contract": contractVersion})
	line.Orders(node.obey)
	log.Print("the line has ended, and so does this node")
}

func (node *Node) obey(order Order) {
	if node.list == nil && order.Type != "run" && order.Type != "stop" {
		node.refuse(order, "it does not run yet")
		return
	}
	switch order.Type {
	case "run":
		if err := node.run(order); err != nil {
			node.line.Say(fields{"type": "cannotrun", "reason": err.Error()})
			node.line.Flush()
			os.Exit(1)
		}
	case "dial":
		node.seek(order.Dial)
		if order.Order != 0 {
			node.line.Say(fields{"type": "done", "order": order.Order})
		}
	case "takesnapshot":
		node.line.Say(fields{"type": "snapshot", "order": order.Order, "time": monotonic()})
	case "leavegracefully":
		node.line.Say(fields{"type": "done", "order": order.Order})
		go node.leave()
	case "stop":
		os.Exit(0)
	default:
		node.refuse(order, "a memberlist node knows no order "+strconv.Quote(order.Type))
	}
}

func (node *Node) refuse(order Order, why string) {
	node.line.Say(fields{"type": "done", "order": order.Order, "refusal": why})
}

func (node *Node) run(order Order) error {
	if order.Contract != contractVersion {
		return fmt.Errorf("this node speaks version %d of the contract", contractVersion)
	}
	links, err := listen(order.Listen)
	if err != nil {
		return err
	}
	self := Member{order.Address, newIdentity()}
	node.links = links
	node.settings = settingsOf(order.Settings)
	for _, name := range order.Join {
		node.sought[name] = false
	}
	node.line.Say(fields{"type": "running"})
	node.members = newMembers(node.line, self)

	config := node.settings.config()
	config.Name = order.Address
	config.Transport = links
	config.RequireNodeNames = true
	config.SecretKey = key(order.Secret)
	config.Delegate = identity(self[1])
	config.Events = node.members
	if node.list, err = memberlist.Create(config); err != nil {
		return err
	}
	go node.members.WatchTheMachine(node.settings.interval)
	firstTries := node.seek(order.Dial)
	go func() {
		firstTries.Wait()
		node.members.Found()
	}()
	return nil
}

// seek looks for those to join who have a link now, and returns a group that waits until each was tried once.
func (node *Node) seek(dial map[string]string) *sync.WaitGroup {
	var tries sync.WaitGroup
	node.links.Add(dial)
	for name := range dial {
		if sought, toJoin := node.sought[name]; toJoin && !sought {
			node.sought[name] = true
			tries.Add(1)
			go node.keepSeeking(name, tries.Done)
		}
	}
	return &tries
}

// keepSeeking joins a node again and again that is no member: memberlist forgets the dead, and two halves of a network
// would not find each other again. With merging off a node that was a member is let go.
func (node *Node) keepSeeking(name string, tried func()) {
	node.join(name)
	tried()
	for node.settings.merging || !node.members.HasSeen(name) {
		time.Sleep(node.settings.interval)
		node.join(name)
	}
}

func (node *Node) join(name string) {
	if !node.members.Has(name) {
		node.list.Join([]string{fmt.Sprintf("%s/%s:%d", name, noHost, noPort)})
	}
}

// leave tells all others, or as many as it can reach in a heartbeat timeout, and ends.
func (node *Node) leave() {
	node.members.Leave()
	if err := node.list.Leave(node.settings.timeout); err != nil {
		log.Printf("not all have heard that it leaves: %v", err)
	}
	node.list.Shutdown()
	node.members.Stop()
	node.line.Flush()
	os.Exit(0)
}

// newIdentity is a word that no process had before.
func newIdentity() string {
	word := make([]byte, 16)
	rand.Read(word)
	return hex.EncodeToString(word)
}
