package com.hazelcast.internal.partition.impl;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.MigrationInfo;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.partition.membergroup.SingleMemberGroupFactory;
import com.hazelcast.spi.properties.HazelcastProperties;
import com.hazelcast.version.MemberVersion;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/**
 * How long Hazelcast takes for its decisions: a question a line on standard input, and its milliseconds on standard
 * output. It is in this package because the classes that decide are not public.
 */
final class Decisions {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            System.out.println(words[0].equals("stay") ? stay(words) : join(words));
        }
    }

    /** "stay MEMBERS A-B C-D ...": who stays, if these pairs are broken. */
    private static String stay(String[] words) throws Exception {
        List<MemberImpl> members = members(Integer.parseInt(words[1]));
        Map<MemberImpl, Set<MemberImpl>> reports = new HashMap<>();
        for (int at = 2; at < words.length; at++) {
            String[] pair = words[at].split("-");
            reports.computeIfAbsent(members.get(Integer.parseInt(pair[0])), reporter -> new HashSet<>())
                    .add(members.get(Integer.parseInt(pair[1])));
        }
        Class<?> of = Class.forName("com.hazelcast.internal.cluster.impl.PartialDisconnectionHandler");
        Constructor<?> made = of.getDeclaredConstructor(HazelcastProperties.class);
        made.setAccessible(true);
        Object handler = made.newInstance(new HazelcastProperties(new Properties()));
        Method resolve = of.getDeclaredMethod("resolve", Map.class);
        resolve.setAccessible(true);
        long began = System.nanoTime();
        try {
            resolve.invoke(handler, reports);
        } catch (InvocationTargetException error) {
            if (error.getCause() instanceof TimeoutException) {
                return "gave up";
            }
            throw error;
        }
        return since(began);
    }

    /** "join MEMBERS PARTITIONS": another joins. The times of the rows to come and of the plan, and its migrations. */
    private static String join(String[] words) throws Exception {
        int count = Integer.parseInt(words[1]);
        int partitions = Integer.parseInt(words[2]);
        List<MemberImpl> members = members(count + 1);
        PartitionStateGeneratorImpl generator = new PartitionStateGeneratorImpl();
        SingleMemberGroupFactory groups = new SingleMemberGroupFactory();
        PartitionReplica[][] none = new PartitionReplica[partitions][InternalPartition.MAX_REPLICA_COUNT];
        PartitionReplica[][] current =
                generator.arrange(groups.createMemberGroups(members.subList(0, count)), table(none));
        InternalPartition[] table = table(current);

        long began = System.nanoTime();
        PartitionReplica[][] target = generator.arrange(groups.createMemberGroups(members), table);
        String arranged = since(began);

        began = System.nanoTime();
        MigrationPlanner planner = new MigrationPlanner();
        int migrations = 0;
        for (int partition = 0; partition < partitions; partition++) {
            List<MigrationInfo> found = new ArrayList<>();
            int of = partition;
            planner.planMigrations(partition, current[partition], target[partition],
                    (source, sourceNow, sourceThen, destination, now, then) ->
                            found.add(new MigrationInfo(of, source, destination, sourceNow, sourceThen, now, then)));
            planner.prioritizeCopiesAndShiftUps(found);
            migrations += found.size();
        }
        return arranged + " " + since(began) + " " + migrations;
    }

    private static InternalPartition[] table(PartitionReplica[][] rows) {
        InternalPartition[] table = new InternalPartition[rows.length];
        for (int partition = 0; partition < rows.length; partition++) {
            table[partition] = new InternalPartitionImpl(partition, null, rows[partition].clone(), 1, null);
        }
        return table;
    }

    private static List<MemberImpl> members(int count) throws Exception {
        List<MemberImpl> members = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            members.add(new MemberImpl.Builder(new Address("127.0.0.1", 5701 + number))
                    .version(MemberVersion.of(5, 7, 0)).uuid(new UUID(1, number)).build());
        }
        return members;
    }

    private static String since(long began) {
        return String.valueOf((System.nanoTime() - began) / 1e6);
    }
}
