package main

import (
	"crypto/sha256"
	"time"

	"github.com/hashicorp/memberlist"
)

// Settings are those of shaketable that mean something here.
type Settings struct {
	interval    time.Duration
	timeout     time.Duration
	merging     bool
	clusterName string
}

func settingsOf(values map[string]any) Settings {
	return Settings{
		interval:    seconds(values, "heartbeat_interval_seconds", 1),
		timeout:     seconds(values, "heartbeat_timeout_seconds", 5),
		merging:     value(values, "merging", true),
		clusterName: value(values, "cluster_name", ""),
	}
}

func value[T any](values map[string]any, name string, otherwise T) T {
	if given, ok := values[name].(T); ok {
		return given
	}
	return otherwise
}

func seconds(values map[string]any, name string, otherwise float64) time.Duration {
	return time.Duration(value(values, name, otherwise) * float64(time.Second))
}

// config is that of a LAN, but for the times. From the last word of a member until it is given up, two intervals pass
// in which it is probed, and then those in which it may object: together the heartbeat timeout.
func (settings Settings) config() *memberlist.Config {
	config := memberlist.DefaultLANConfig()
	config.ProbeInterval = settings.interval
	config.ProbeTimeout = settings.interval / 3 // so that a helper's "neither do I" comes within the interval
	config.SuspicionMult = max(1, int(settings.timeout/settings.interval)-2)
	config.SuspicionMaxTimeoutMult = 2
	config.GossipInterval = settings.interval / 5
	config.GossipToTheDeadTime = 0 // with nobody who may not come back
	if settings.merging {
		config.GossipToTheDeadTime = 2 * settings.timeout
	}
	config.PushPullInterval = settings.timeout
	config.TCPTimeout = settings.timeout
	config.Label = settings.clusterName
	return config
}

// key is the same for all members of a run: who has another one is a stranger.
func key(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
