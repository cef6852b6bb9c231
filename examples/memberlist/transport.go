package main

import (
	"fmt"
	"log"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// noHost is what all members advertise, since memberlist wants an IP: one of those for documentation, where nobody is.
// Only the name of a member says where it is dialled.
var noHost = net.IPv4(192, 0, 2, 1)

const noPort = 1

// Links is memberlist's own transport, but for where it dials: at the link to a member, over TCP and UDP. Where a
// packet comes from means nothing: that is a link too, and each message names its sender.
type Links struct {
	*memberlist.NetTransport

	lock sync.RWMutex
	dial map[string]string
}

var _ memberlist.NodeAwareTransport = (*Links)(nil)

func listen(place string) (*Links, error) {
	host, digits, err := net.SplitHostPort(place)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(digits)
	if err != nil {
		return nil, err
	}
	transport, err := memberlist.NewNetTransport(&memberlist.NetTransportConfig{
		BindAddrs: []string{host},
		BindPort:  port,
		Logger:    log.Default(),
	})
	if err != nil {
		return nil, err
	}
	return &Links{NetTransport: transport, dial: map[string]string{}}, nil
}

// Add takes more links, or the same anew.
func (links *Links) Add(dial map[string]string) {
	links.lock.Lock()
	defer links.lock.Unlock()
	for name, place := range dial {
		links.dial[name] = place
	}
}

func (links *Links) to(name string) (memberlist.Address, error) {
	links.lock.RLock()
	defer links.lock.RUnlock()
	place, known := links.dial[name]
	if !known {
		return memberlist.Address{}, fmt.Errorf("there is no link to %q yet", name)
	}
	return memberlist.Address{Addr: place, Name: name}, nil
}

func (links *Links) WriteToAddress(packet []byte, to memberlist.Address) (time.Time, error) {
	link, err := links.to(to.Name)
	if err != nil {
		return time.Time{}, err
	}
	return links.NetTransport.WriteToAddress(packet, link)
}

func (links *Links) DialAddressTimeout(to memberlist.Address, limit time.Duration) (net.Conn, error) {
	link, err := links.to(to.Name)
	if err != nil {
		return nil, err
	}
	return links.NetTransport.DialAddressTimeout(link, limit)
}

func (links *Links) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return noHost, noPort, nil
}
