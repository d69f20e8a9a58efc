// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

/// Every fault of a server over every adapter, for plain objects, for rows and for pages.
@Suite(.tags(.socket, .slow), .serialized) struct TransportFaultTests {
    /// One fault over one adapter.
    struct Case: Sendable, CustomTestStringConvertible {
        let adapter: Adapter
        let fault: ServedFault

        var testDescription: String { "\(adapter.rawValue) \(fault)" }

        static func all(over adapters: [Adapter] = Adapter.allCases) -> [Case] {
            adapters.flatMap { adapter in
                ServedFault.all.filter { fault in
                    if case .certificate = fault.place, TestAuthority.command == nil {
                        return false
                    }
                    return !(fault.isBeyondFoundation && adapter == .urlSession && isLinux)
                }.map { Case(adapter: adapter, fault: $0) }
            }
        }

        func run() async throws {
            let bystander = try await Bystander()
            let store = bystander.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                for kind in FaultyRequest.Kind.allCases {
                    let request = FaultyRequest(fault: fault, kind: kind, adapter: adapter)
                    group.addTask { request.expect(try await request.run(into: store)) }
                }
                try await group.waitForAll()
            }
            #expect(try await bystander.isAsItWas)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: Case.all())
    func endsInTheDocumentedErrorAndChangesNothing(example: Case) async throws {
        try await example.run()
    }

    /// In a process of its own, where nothing else opens descriptors or threads.
    @Test(.withoutSanitizer, arguments: Adapter.allCases)
    func leavesNothingBehind(adapter: Adapter) async throws {
        await #expect(processExitsWith: .success) { [adapter] in
            let examples = Case.all(over: [adapter]).filter { example in
                if case .certificate = example.fault.place { false } else { true }
            }
            func runAll() async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for example in examples {
                        group.addTask { try await example.run() }
                    }
                    try await group.waitForAll()
                }
            }
            try await runAll()
            try await Task.sleep(for: .milliseconds(500))
            let before = ProcessCount.now
            for _ in 0..<2 { try await runAll() }
            let isBack = try await eventually { ProcessCount.now.isWithin(before) }
            #expect(isBack, "\(ProcessCount.now) at the end, \(before) before")
        }
    }
}
