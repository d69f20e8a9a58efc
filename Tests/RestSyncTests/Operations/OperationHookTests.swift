// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The functions that a kind of operations can replace, around the import that always runs.
@MainActor @Suite(.tags(.socket)) struct OperationHookTests {
    /// Replaces no function.
    private struct Plain: OperationKind {}

    /// Replaces every function, and calls no other implementation.
    private struct Overriding: OperationKind {
        let journal: Journal

        func canProcess(_ request: TransportRequest) -> Bool { true }

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            // A value exists only if the steps of the execution have made it.
            try await execution.map(execution.receive())
        }

        func willEnqueue(_ operation: RequestOperation) { journal.add("enqueue") }
        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            journal.add("map")
        }
        func willFinish(_ operation: RequestOperation) { journal.add("finish") }
    }

    /// Hooks surround the import, and none of them performs it.
    ///
    /// The operations are final classes, so that there is no function of the mapping to override, and
    /// no implementation of a superclass to forget. The hooks of a kind have empty defaults.
    @Test(.parity("SM42"), arguments: [false, true])
    func importRunsWhateverHooksDo(_ isOverriding: Bool) async throws {
        let answer = LoopbackResponse.json(#"[{"id":1,"name":"Ann"},{"id":2,"name":"Bo"}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([9: "orphan"])
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            let journal = Journal()
            if isOverriding {
                fixture.api.register(Overriding(journal: journal), for: .store)
            } else {
                fixture.api.register(Plain(), for: .store)
            }
            var request = ManagedRequest(at: "humans")
            request.options.willSave = { context, ids in
                // The hook of the import is called after mapping, with its result.
                journal.add("save \(try context.objects(with: ids).count)")
            }
            let operation = try fixture.api.operation(for: request, into: fixture.store)
            #expect(operation.kind is Overriding == isOverriding)
            try fixture.api.enqueue(operation)
            let result = try await operation.value
            #expect(result.objectIDs.count == 2 && result.orphanIDs.count == 1)
            #expect(try fixture.humans() == ["1|Ann", "2|Bo"])
            await operation.finished()
            let steps = journal.entries
            #expect(steps == (isOverriding ? ["enqueue", "map", "save 2", "finish"] : ["save 2"]))
        }
    }

    /// Notes the events of the mapping.
    private struct Observing: OperationKind {
        let journal: Journal

        func mappingObserver(of operation: RequestOperation) -> (any MappingObserver)? {
            Observer(journal: journal)
        }

        private final class Observer: MappingObserver {
            let journal: Journal

            init(journal: Journal) { self.journal = journal }

            func observe(_ event: MappingEvent) {
                switch event.kind {
                case .began: journal.add("began \(event.mapping)")
                case .set: journal.add("set \(event.destination)")
                case .ended: journal.add("ended \(event.mapping)")
                default: break
                }
            }
        }
    }

    @Test(.parity("S069")) func kindObservesImport() async throws {
        let answer = LoopbackResponse.json(#"[{"id":1,"name":"Ann"},{"id":2}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            let journal = Journal()
            fixture.api.register(Observing(journal: journal), for: .store)
            try await fixture.api.getObjects(Human.self, at: "humans", into: fixture.store)
            #expect(
                journal.entries == [
                    "began Human", "set railsID", "set name", "ended Human",
                    "began Human", "set railsID", "ended Human",
                ])
        }
    }

    /// A kind that leaves out the mapping has no value to return, so that it can only fail.
    private struct Refusing: OperationKind {
        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            _ = try await execution.receive()
            throw CocoaError(.featureUnsupported)
        }
    }

    @Test(.parity("SM42")) func omittedMappingIsErrorOfOperation() async throws {
        let answer = LoopbackResponse.json(#"[{"id":1,"name":"Ann"}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.register(Refusing(), for: .store)
            let operation = try fixture.api.operation(
                for: ManagedRequest(at: "humans"), into: fixture.store)
            try fixture.api.enqueue(operation)
            await #expect(throws: CocoaError.self) { try await operation.value }
            #expect(try fixture.humans().isEmpty)
        }
    }
}
