package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	contractVersion = 1
	longestLine     = 1 << 20
	// So many wait while nobody reads. Then the node ends: a gap in the sequence would look as if it had lied.
	mostLinesWaiting = 1 << 16
)

// Order is any line that the harness writes: Type says which of the other fields it has.
type Order struct {
	Type  string `json:"type"`
	Order int    `json:"order"`

	// of "run", but for Dial, which "dial" has as well
	Contract int               `json:"contract"`
	Address  string            `json:"address"`
	Listen   string            `json:"listen"`
	Join     []string          `json:"join"`
	Dial     map[string]string `json:"dial"`
	Settings map[string]any    `json:"settings"`
	Secret   string            `json:"secret"`
}

// Line is the way to the harness and back.
type Line struct {
	socket    net.Conn
	waiting   chan []byte
	unwritten sync.WaitGroup
}

// openLine takes over the socket that the harness has left open.
func openLine() (*Line, error) {
	descriptor, err := strconv.Atoi(os.Getenv("SHAKETABLE_FD"))
	if err != nil {
		return nil, fmt.Errorf("SHAKETABLE_FD names no open socket: this program is started by shaketable")
	}
	file := os.NewFile(uintptr(descriptor), "line")
	defer file.Close()
	socket, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	line := &Line{socket: socket, waiting: make(chan []byte, mostLinesWaiting)}
	go line.write()
	return line, nil
}

// Orders calls obey for each order, and returns when the line ends.
func (line *Line) Orders(obey func(Order)) {
	lines := bufio.NewScanner(line.socket)
	lines.Buffer(nil, longestLine+1)
	for lines.Scan() {
		var order Order
		if err := json.Unmarshal(lines.Bytes(), &order); err != nil {
			log.Printf("an order that cannot be read: %v", err)
			continue
		}
		obey(order)
	}
}

// Say never waits: a member that stood still because the harness is slow would be suspected by its peers.
func (line *Line) Say(form any) {
	said, err := json.Marshal(form)
	if err != nil {
		log.Fatalf("%v cannot be said: %v", form, err)
	}
	line.unwritten.Add(1)
	select {
	case line.waiting <- append(said, '\n'):
	default:
		log.Fatalf("nobody has read %d lines: the harness is gone", mostLinesWaiting)
	}
}

// Flush returns when all that was said is written.
func (line *Line) Flush() {
	line.unwritten.Wait()
}

func (line *Line) write() {
	for said := range line.waiting {
		if _, err := line.socket.Write(said); err != nil {
			log.Fatalf("the line has ended: %v", err)
		}
		line.unwritten.Done()
	}
}

// fields makes a form of the contract.
type fields map[string]any

// monotonic is the clock that all processes of a machine share, in microseconds.
func monotonic() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		log.Fatalf("no monotonic clock: %v", err)
	}
	return now.Nano() / 1000
}
