"""Why a node did something: a kind, by which checks, marks and screens tell reasons apart, and words for people.

Kinds are a part of histories and of messages: their codes stay as they are. The words are only shown, and may change at
any time. Each stands here once. Where it says {} the details come, in this order."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Self


class Why(StrEnum):
    words: str

    def __new__(cls, code: str, words: str = "") -> Self:
        made = str.__new__(cls, code)
        made._value_ = code
        made.words = words
        return made

    # Joining a cluster, and leaving it

    NO_OTHER_ADDRESS = "no-other-address", "no other address is configured"
    NOBODY_ALIVE = "nobody-alive", "no configured address showed a sign of life"
    NOBODY_OF_MINE_ALIVE = "nobody-of-mine-alive", "no configured address of this cluster showed a sign of life"
    CONSENTED = "consented", "all that showed a sign of life consented"
    LONGEST_JOIN_TIME = "longest-join-time", "nobody answered within the longest join time"
    ADMITTED = "admitted", "admitted by {}"
    FOUNDED = "founded", "founded a cluster"
    FINALIZE_JOIN = "finalize-join", "finalize join"
    REFUSED_BY = "refused-by", "refused by {}: {}"
    ANOTHER_CLUSTER = "another-cluster", "this is cluster {}, not {}"
    ANOTHER_PARTITION_COUNT = "another-partition-count", "the partition count of this cluster is {}, not {}"
    OTHER_MAPS = "other-maps", "the maps of this cluster are {}, not {}"
    OTHER_GROUPS = "other-groups", "the partition groups of this cluster are {}, not {}"
    NO_MEMBER_MYSELF = "no-member-myself", "I am no member myself"
    CLAIM_UNDER_WAY = "claim-under-way", "my mastership claim is under way"
    GOES_OVER = "goes-over", "my cluster goes over to another one"
    LEFT_AND_REPLACED = "left-and-replaced", "it has left, and its address has a newer member"
    MEMBER_ELSEWHERE = "member-elsewhere", "the member with its identity is at {}"
    WAITS_ELSEWHERE = "waits-elsewhere", "a joiner with its identity waits at another address"
    STALE_JOIN = "stale-join", "it joined a short while ago and is gone again: the request may be a stale one"
    LOST_WHILE_IT_WAITED = "lost-while-it-waited", "connection lost while it waited for others"
    NOT_MASTER_ANY_MORE = "not-master-any-more", "I am not master any more"
    LEFT = "left", "left"
    LEFT_UNANSWERED = "left-unanswered", "left without an answer of the master"

    # The member list

    MEMBERS_UPDATE = "members-update", "members update"
    JOINED = "joined", "{} joined"
    SEVERAL_JOINED = "several-joined", "{} joined"
    REMOVED = "removed", "{} removed: {}"
    SEVERAL_REMOVED = "several-removed", "{} removed: {}"
    VERSION_RAISED = "version-raised", "version raised past that of {}, which is to merge"
    NOT_NEWER = "not-newer", "not newer"
    NOT_FROM_MY_MASTER = "not-from-my-master", "not from my master"
    WITHOUT_ME = "without-me", "without me"
    OWN_CLAIM = "own-claim", "own mastership claim"
    ACCEPTED_CLAIM = "accepted-claim", "accepted mastership claim"
    FIRST_OF_THE_LIST = "first-of-the-list", "the first of my list"
    MERGE_VIEW = "merge-view", "merge view"

    # Suspicion

    NO_HEARTBEAT = "no-heartbeat", "no heartbeat"
    NO_CONFIRMATION = "no-confirmation", "no master confirmation"
    CONNECTION_LOST = "connection-lost", "connection lost"
    EXPLICIT = "explicit", "explicit suspicion"
    NEW_IDENTITY = "new-identity", "its address asks to join with a new identity"
    LEADS_ANOTHER = "leads-another", "it leads another cluster"
    DISCONNECTED = "disconnected", "partial member disconnection"
    HEARTBEAT = "heartbeat", "heartbeat"
    ITS_LIST = "its-list", "its member list"
    CLAIM_ACCEPTED = "claim-accepted", "its mastership claim was accepted"
    STRANGE_HEARTBEAT = "strange-heartbeat", "a heartbeat from an unknown endpoint"
    STRANGE_CONFIRMATION = "strange-confirmation", "a master confirmation from an unknown endpoint"
    STRANGE_LIST = "strange-list", "a list from a member that is not my master"
    STRANGE_JOIN = "strange-join", "finalize join from a node that is not my master"
    COMPLAINT = "complaint", "a complaint"
    MY_MASTER_ASKS = "my-master-asks", "my master asks for it"
    ITS_LIST_HAS_ME = "its-list-has-me", "its list has me"
    NOBODY_OF_MY_LIST = "nobody-of-my-list", "it comes from nobody in my list"
    AS_I_WAS = "as-i-was", "it names me as I was"
    AS_I_AM = "as-i-am", "it names me as I am"
    COMPLAINT_TO_NO_MASTER = "complaint-to-no-master", "ignored: I am not master"
    COMPLAINT_SENSELESS = "complaint-senseless", "ignored: it makes no sense"
    BOTH_FOLLOW = "both-follow", "both follow me: both are sent the list"
    COMPLAINED_OF_FOLLOWS_NOT = "complained-of-follows-not", "the member that it complains of does not follow me"
    COMPLAINER_FOLLOWS_NOT = "complainer-follows-not", "the complainer does not follow me"
    NEITHER_FOLLOWS = "neither-follows", "neither follows me"
    TRIGGER_OF_MY_MASTER = "trigger-of-my-master", "it comes from my master"
    TRIGGER_OF_ANOTHER = "trigger-of-another", "it does not come from my master"
    TRIGGER_OF_ANOTHER_VERSION = "trigger-of-another-version", "my list is not of the master's version"
    NOT_MASTER = "not-master", "I am not master"
    TOO_OLD = "too-old", "older than half the timeout"

    # Partial disconnection

    TOO_MUCH_WORK = "too-much-work", "{} broken pairs among {} members are too much work"
    TOO_MUCH_BEFORE = "too-much-before", "it is what was too much work before"
    SLEPT = "slept", "I slept: what came meanwhile may not be read yet"
    LEADS_NO_MORE = "leads-no-more", "I do not lead any more"
    GONE_BY_ITSELF = "gone-by-itself", "{} has gone by itself"
    PAIRS_MENDED = "pairs-mended", "not all of those pairs are broken any more"

    # The mastership claim

    NOT_WHOM_YOU_MEAN = "not-whom-you-mean", "I am not whom you mean"
    NO_MEMBER = "no-member", "I am no member"
    MASTER_MYSELF = "master-myself", "I am master, or claim it myself"
    NOT_IN_MY_LIST = "not-in-my-list", "you are not in my list"
    YOUNGER_MASTER = "younger-master", "I follow a younger master already"
    TRUSTS_AN_OLDER = "trusts-an-older", "I do not suspect everyone older than you"
    NO_ANSWER_TO_CLAIM = "no-answer-to-claim", "no answer within the claim timeout"

    # Split-brain recovery

    ALL_ANSWERED = "all-answered", "all have answered, or will not"
    SOME_SILENT = "some-silent", "some are silent"
    THEY_COME = "they-come", "members of another part are on their way to me"
    DOES_NOT_LEAD = "does-not-lead", "I do not lead"
    DOES_NOT_LEAD_OR_CLAIMS = "does-not-lead-or-claims", "I do not lead, or claim the mastership"
    ABOUT_TO_LEAVE = "about-to-leave", "I am about to leave"
    SOMEBODY_JOINS = "somebody-joins", "somebody joins"
    LISTS_OVERLAP = "lists-overlap", "both lists have {}"
    DATA_MEMBERS = "data-members", "data members: {} here, {} there"
    LARGER_ADDRESS = "larger-address", "{} data members each: the larger address of a master merges"
    LIST_CHANGED_SINCE_ASKED = "list-changed-since-asked", "my list has changed since I asked"
    LIST_CHANGED = "list-changed", "my list has changed since"
    MIGRATION_UNDER_WAY = "migration-under-way", "a migration is under way"
    OWNERS_NOT_HEARD = "owners-not-heard", "not all owners have said yet that they serve"
    BEGAN_TOO_LATE = "began-too-late", "it took too long to begin"
    NOT_ADMITTED = "not-admitted", "{} did not admit me"
    REFUSES_ME = "refuses-me", "{} refuses me"
    ASKS_ME = "asks-me", "it asks me, and I have to go over to it"
    NAMED_BY_A_FOLLOWER = "named-by-a-follower", "{} follows it"
    GOES_OVER_TO_IT = "goes-over-to-it", "I go over to it"
    CANNOT_TAKE_ADDRESSES = "cannot-take-addresses", "{}; no member has changed its list"
    ADDRESSES_NOT_CONFIRMED = "addresses-not-confirmed", "{}; all others have it"

    # The partition table

    FIRST_TIME = "first-time", "for the first time"
    MOST_RECENT = "most-recent", "{} had the most recent one"
    OFF_THE_TABLE = "off-the-table", "members that have left are off the table"
    ALL_HOLDERS_GONE = "all-holders-gone", "all who held it are gone"
    INDEX_CLEARED = "index-cleared", "index {}"
    COPY = "COPY", "COPY"
    MOVE = "MOVE", "MOVE"
    SHIFT_UP = "SHIFT UP", "SHIFT UP"
    SHIFT_DOWN = "SHIFT DOWN", "SHIFT DOWN"
    SHIFT_UP_SHIFT_DOWN = "SHIFT UP+SHIFT DOWN", "SHIFT UP+SHIFT DOWN"
    CLEAR = "CLEAR", "CLEAR"
    PUBLISHED = "published", "published"
    COMMIT = "commit", "commit"
    TABLE_IS_OLD = "table-is-old", "mine is newer: {}"
    SAME_VERSION = "same-version", "mine is of the same version, and another one"
    NAMES_A_STRANGER = "names-a-stranger", "it names {}, whom I do not know"
    TO_BE_ASSIGNED = "to-be-assigned", "the partitions are to be assigned"
    NEW_MASTER = "new-master", "I am the new master"
    MIGRATION_FAILED = "migration-failed", "a migration failed"
    IS_LEAVING = "is-leaving", "{} is leaving"
    MEMBERS_LEFT = "members-left", "{}"
    MEMBERS_JOINED = "members-joined", "{}"
    MEMBERS_LEFT_AND_JOINED = "members-left-and-joined", "{}"
    SAME_MEMBERS = "same-members", ""

    # Migrations

    DESTINATION_LEFT = "destination-left", "the destination, {}, has left"
    OWNER_LEFT = "owner-left", "the owner, {}, has left"
    REFUSED = "refused", "refused: {}"
    REFUSED_BY_DESTINATION = "refused-by-destination", "refused by the destination: {}"
    TOOK_TOO_LONG = "took-too-long", "it took too long"
    DESTINATION_SILENT = "destination-silent", "the destination did not answer"
    DOES_NOT_COMMIT = "does-not-commit", "the destination does not commit: {}"
    DATA_NOT_WITH_ME = "data-not-with-me", "not all of its data have come to me"
    ANOTHER_ONE_HERE = "another-one-here", "I am another one at this address"
    NO_MEMBER_OF_A_CLUSTER = "no-member-of-a-cluster", "I am no member of a cluster"
    SENT_BY_A_STRANGER = "sent-by-a-stranger", "the sender is no member of my cluster"
    REQUEST_NOT_FROM_MY_MASTER = "request-not-from-my-master", "it is not from my master"
    ANOTHER_MASTER = "another-master", "my master is another one"
    MASTER_BEFORE_ME = "master-before-me", "it is of a master before me"
    MY_TABLE_IS_OLDER = "my-table-is-older", "my table is older: {}, not {}"
    MY_TABLE_IS_NEWER = "my-table-is-newer", "my table is newer: {}"
    ANOTHER_ROW = "another-row", "my row of this partition is another one"
    NOT_THE_OWNER = "not-the-owner", "I do not own this partition"
    SENT_BY_NO_OWNER = "sent-by-no-owner", "the sender does not own this partition"
    NOT_ENDED_HERE = "not-ended-here", "migration {} of it has not ended here"
    PARTITION_NOT_ENDED_HERE = "partition-not-ended-here", "migration {} of this partition has not ended here"
    HAS_ENDED = "has-ended", "it has ended"
    ROLLED_BACK = "rolled-back", "it is rolled back already"
    UNKNOWN_MIGRATION = "unknown-migration", "I do not know this migration"
    DATA_MISSING = "data-missing", "not all of its data have come"
    NOT_WHOM_IT_MEANS = "not-whom-it-means", "I am not whom it means"
    UNKNOWN_DESTINATION = "unknown-destination", "I do not know the destination"
    NOT_AMONG_THE_COMPLETED = "not-among-the-completed", "the completed migrations that came with it lack it"
    TABLE_NAMES_A_STRANGER = "table-names-a-stranger", "its table names somebody whom I do not know"
    UNREADABLE = "unreadable", "{}"
    NO_DATA_TO_SEND = "no-data-to-send", "has no data to send: {}"
    NO_BYTES_TO_SEND = "no-bytes-to-send", "has no bytes to send, but {}"
    CANNOT_READ = "cannot-read", "cannot read its data: {}"
    HAS_COME = "has-come", "it has come already"
    OUT_OF_ORDER = "out-of-order", "number {} has not come"
    STREAM_ENDED = "stream-ended", "the stream has ended"
    UNKNOWN_STREAM = "unknown-stream", "an unknown stream"
    ROW_CHANGED = "row-changed", "the partition has changed meanwhile"
    RECEIVER_NO_MEMBER = "receiver-no-member", "it is no member"
    RECEIVER_LEFT = "receiver-left", "it has left the member list"
    MIGRATION_COMPLETED = "migration-completed", "the migration is completed"
    NOT_LISTED = "not-listed", "the master's table does not list me there"

    # Operations on the data, and their backups

    NO_SUCH_MAP = "no-such-map", "there is no map {}"
    BAD_NAME = "bad-name", "a key, and the name of a client, has 1 to {} letters"
    VALUE_TOO_LARGE = "value-too-large", "a value has at most {} bytes"
    NO_TABLE = "no-table", "there is no partition table"
    NO_OWNER = "no-owner", "the partition has no owner"
    OWNER_SILENT = "owner-silent", "the owner did not answer"
    SEARCHING = "searching", "I look for the most recent partition table"
    ASKS_THE_BACKUPS = "asks-the-backups", "I ask the backups for what I may lack"
    MIGRATING = "migrating", "the partition is migrating"
    ABOUT_TO_MIGRATE = "about-to-migrate", "the partition is about to migrate"
    BACKUP_KNOWS_MORE = "backup-knows-more", "a backup knows a newer table"
    DONE_ALREADY = "done-already", "operation {} of this client is done already"
    OWNER_NO_MORE = "owner-no-more", "I do not own this partition any more"
    TOO_FEW_MEMBERS = "too-few-members", "{} of {} take {} data members, and my list has {}"
    MEMBER_GOES_OVER = "member-goes-over", "this member goes over to another cluster"
    SILENT = "silent", "it did not answer"
    LATER_WRITES_CAME = "later-writes-came", "later writes have come before it"
    INDEX_HOLDS_NOTHING = "index-holds-nothing", "this index holds nothing of this map"
    NEWER_TABLE_WANTED = "newer-table-wanted", "my table is older: {}"
    NOT_THAT_INDEX = "not-that-index", "I do not hold that index"
    SENDER_OWNER_NO_MORE = "sender-owner-no-more", "the sender does not own this partition any more"
    HAS_LEFT = "has-left", "it has left"
    ITS_TABLE_IS_OLDER = "its-table-is-older", "its table is older"
    DATA_DID_NOT_COME = "data-did-not-come", "its data did not come"
    HOLDS_NOTHING_FOR_ME = "holds-nothing-for-me", "it holds nothing for me"
    REPLICAS_MISSING = "replicas-missing", "not all replicas are in place"
    ASKS_BACKUPS = "asks-backups", "I ask backups for what I may lack"
    MIGRATES_HERE = "migrates-here", "a migration is under way here"
    MIGRATIONS_WAIT = "migrations-wait", "migrations are to be done"
    BACKUPS_IN_DOUBT = "backups-in-doubt", "not all backups are known to be as they should be"
    MERGE_ON_ITS_WAY = "merge-on-its-way", "entries of a merge are on their way"
    NO_SUCH_POLICY = "no-such-policy", "there is no policy {}"
    KEY_OF_ANOTHER_PARTITION = "key-of-another-partition", "its key is of another partition"
    SAME_VALUE = "same-value", "the same value is there"
    DECIDED_BEFORE = "decided-before", "it was decided on before, by another owner"
    BY_POLICY = "by-policy", "by {}"
    POLICY_FAILED = "policy-failed", "{} has failed: {}"
    NO_OWNER_IN_TIME = "no-owner-in-time", "none of them has found its owner in time"

    # Groups: changes of a view, by the codes of the messages

    ADD = "add", "add"
    JOINED_AND_READY = "joined and ready", "joined and ready"
    FAILURE = "failure", "failure"
    PLANNED_SHUTDOWN = "planned shutdown", "planned shutdown"
    MASTER_CHANGE = "master change", "master change"

    # Groups: masters

    NO_MASTER_ANSWERED = "no-master-answered", "no master has answered"
    NOBODY_TO_ASK = "nobody-to-ask", "there is nobody to ask"
    MASTER_DEAD = "master-dead", "the master is dead, and I am next"
    MASTER_STOPPED = "master-stopped", "the master has stopped, and I am next"
    MASTER_SHUTS_DOWN = "master-shuts-down", "my master shuts down, and I am next"
    RANKS_BEFORE_ME = "ranks-before-me", "it ranks before me"
    SHUTS_DOWN = "shuts-down", "I shut down"
    MASTER_GIVES_WAY = "master-gives-way", "my master gives way to it"
    GIVES_WAY = "gives-way", "I give way to it"
    VIEW_LACKS_ME = "view-lacks-me", "its view lacks me"
    MASTER_SILENT = "master-silent", "my master is silent, and others follow another one"
    MASTER_LOOKS = "master-looks", "my master looks for one itself"
    MASTER_FOLLOWS_NOBODY = "master-follows-nobody", "my master follows nobody"
    MASTER_FOLLOWS_IT = "master-follows-it", "my master follows it"
    NO_MASTER_SENT_IT = "no-master-sent-it", "only a master publishes, and for itself"
    BEGINS_LATER = "begins-later", "a stay of mine cannot begin later"
    EARLIER_STAY = "earlier-stay", "it is of an earlier stay of mine"
    ITS_MASTER_LEADS_NO_MORE = "its-master-leads-no-more", "its master leads no more"
    MASTER_NOT_FOLLOWED = "master-not-followed", "it is of a master that I do not follow"

    # Groups: detection, shutdown, strangers

    LINK_DOWN = "link-down", "my link to it is down"
    NO_ANSWER = "no-answer", "it has not answered a probe"
    ANOTHER_INCARNATION = "another-incarnation", "another incarnation answers there"
    NOT_HEARD_BY = "not-heard-by", "{} hears it no more"
    NO_REPORT_TAKEN = "no-report-taken", "it has not taken a report"
    SILENT_AT_A_CHANGE = "silent-at-a-change", "it did not answer when the master was to be followed"
    IN_DOUBT_BEFORE = "in-doubt-before", "it was in doubt before I led"
    RESTARTED = "restarted", "it was restarted"
    BY_WORD_OF = "by-word-of", "by word of {}"
    HEARD = "heard", "it was heard"
    STILL_REACHED = "still-reached", "{} still reaches it"
    NOT_DOUBTED_NOW = "not-doubted-now", "another master leads, and does not doubt it"
    WAS_NO_MEMBER = "was-no-member", "it was no member"
    NOT_TAKEN_OFF = "not-taken-off", "nobody took it off the view"
    DECLARED_DEAD = "declared-dead", "the master before me declared it dead"
    PLANNED = "planned", "its shutdown was planned"
    NOBODY_LEFT = "nobody-left", "nobody is left"
    WATCHDOG = "watchdog", "a watchdog is in no view"
    FOREIGN = "foreign", "it is of group {} in domain {}"
    NO_WATCHDOG = "no-watchdog", "it is no watchdog"
    COULD_NOT_FAIL = "could-not-fail", "{} is no member that could have failed"

    # What only a legacy fault does

    NOT_TOLD_OF_REMOVAL = "not-told-of-removal", "it lacks a member of whose removal I was not told"
    UPDATE_NEWER_OR_NOT = "update-newer-or-not", "members update, newer or not"
    TABLE_NEWER_OR_NOT = "table-newer-or-not", "published, newer or not"
    NOTICED = "noticed", "I noticed that {} has left"
    CLEARED_TO_BE_SYNCED = (
        "cleared-to-be-synced",
        "I am a backup of it: my data are cleared, to be synchronised from the owner",
    )
    BACKUPS_BY_THE_TABLE = "backups-by-the-table", "backups are changed in the table alone"
    SAYS_IT_LEADS = "says-it-leads", "its answer says that it leads"


class Because(NamedTuple):
    """In the order in which events have them."""

    words: str
    why: Why

    def __str__(self) -> str:
        """Within the words of another."""
        return self.words


def because(why: Why, *details: object) -> Because:
    return Because(why.words.format(*details), why)


def or_nothing(reason: Because | None) -> tuple[str, Why | None]:
    """For an event that may have no reason."""
    return reason if reason is not None else ("", None)
