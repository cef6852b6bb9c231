package shaketable.hazelcast;

import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonObject;
import com.hazelcast.internal.json.JsonValue;
import com.hazelcast.internal.partition.MigrationInfo;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.partition.impl.MigrationInterceptor;
import java.util.Collection;

/** The steps of migrations at this member, by Hazelcast's own interceptor. Each is a point at which it can be held. */
final class Migrations implements MigrationInterceptor {
    private final Line line;
    private final Partitions partitions;

    Migrations(Line line, Partitions partitions) {
        this.line = line;
        this.partitions = partitions;
    }

    @Override
    public void onMigrationStart(MigrationParticipant as, MigrationInfo migration) {
        step("start", as, migration, true);
    }

    @Override
    public void onMigrationComplete(MigrationParticipant as, MigrationInfo migration, boolean successful) {
        step("complete", as, migration, successful);
    }

    @Override
    public void onMigrationCommit(MigrationParticipant as, MigrationInfo migration) {
        step("commit", as, migration, true);
    }

    @Override
    public void onMigrationRollback(MigrationParticipant as, MigrationInfo migration) {
        step("rollback", as, migration, false);
    }

    @Override
    public void onPromotionStart(MigrationParticipant as, Collection<MigrationInfo> promotions) {
        promotions.forEach(each -> step("promotion-start", as, each, true));
    }

    @Override
    public void onPromotionComplete(MigrationParticipant as, Collection<MigrationInfo> promotions, boolean successful) {
        promotions.forEach(each -> step("promotion-complete", as, each, successful));
    }

    private void step(String step, MigrationParticipant as, MigrationInfo migration, boolean successful) {
        String role = as.name().toLowerCase(java.util.Locale.ROOT);
        JsonObject fields = Line.fields()
                .add("step", step)
                .add("role", role)
                .add("id", migration.getUid().toString())
                .add("partition", migration.getPartitionId())
                .add("successful", successful)
                .add("source", uuidOf(migration.getSource()))
                .add("destination", uuidOf(migration.getDestination()))
                .add("sourceNow", migration.getSourceCurrentReplicaIndex())
                .add("sourceThen", migration.getSourceNewReplicaIndex())
                .add("destinationNow", migration.getDestinationCurrentReplicaIndex())
                .add("destinationThen", migration.getDestinationNewReplicaIndex())
                .add("version", migration.getInitialPartitionVersion())
                .add("versionThen", migration.getFinalPartitionVersion());
        partitions.lookAtTable(true);
        line.tell("migration", fields);
        Holds.pass("migration: " + step + " " + role + " " + migration.getPartitionId());
    }

    private static JsonValue uuidOf(PartitionReplica replica) {
        return replica == null ? Json.NULL : Json.value(replica.uuid().toString());
    }
}
