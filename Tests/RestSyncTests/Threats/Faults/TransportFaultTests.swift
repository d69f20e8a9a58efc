// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

/// All faults of a server with every adapter, for objects, rows and pages.
@Suite(.tags(.socket, .slow), .serialized) struct TransportFaultTests {
    /// A fault with an adapter.
    struct Case: Sendable, CustomTestStringConvertible {
        let adapter: Adapter
        let fault: ServedFault

        var testDescription: String { "\(adapter.rawValue) \(fault)" }

        static func all(over adapters: [Adapter] = Adapter.allCases) -> [Case] {
            adapters.flatMap { adapter in
                ServedFault.all.filter { fault in
                    !(fault.isUnsupportedByFoundation && adapter == .urlSession && isLinux)
                }.map { Case(adapter: adapter, fault: $0) }
            }
        }

        func run() async throws {
            let unaffected = try await UnaffectedStore()
            let store = unaffected.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                for kind in FaultyRequest.Kind.allCases {
                    let request = FaultyRequest(fault: fault, kind: kind, adapter: adapter)
                    group.addTask { request.expect(try await request.run(into: store)) }
                }
                try await group.waitForAll()
            }
            #expect(try await unaffected.isUnchanged)
        }
    }

    @Test(.timeLimit(.hang), arguments: Case.all())
    func throwsDocumentedErrorAndChangesNothing(example: Case) async throws {
        try await example.run()
    }

    /// Runs in its own process, where nothing else opens descriptors or threads.
    @Test(.withoutSanitizer, arguments: Adapter.allCases)
    func releasesDescriptorsAndThreads(adapter: Adapter) async throws {
        await #expect(processExitsWith: .success) { [adapter] in
            let examples = Case.all(over: [adapter]).filter { example in
                if case .certificate = example.fault.destination { false } else { true }
            }
            try await ProcessResources.requireRelease {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for example in examples {
                        group.addTask { try await example.run() }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}
