// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Stack: ManagedObject {
    @Identity var id: Int
    @Inverse(\Sheet.stack) @Reference var sheets: [Sheet]
}

@Entity private final class Sheet: ManagedObject {
    @Identity var id: Int
    @Reference var stack: Stack?
}

/// The places of objects in ordered lists, of which a slow answer has the owner or the position, and a later
/// write the other.
@MainActor @Suite(.tags(.socket)) struct FencedPlaceTests {
    /// A write after the slow request was sent, which concerns the sheet 2 of the stack 1.
    private enum Write: CaseIterable {
        /// A response that has the owner, as the store does.
        case confirmation
        /// A program that moves it within the list.
        case order
    }

    @Test(arguments: Write.allCases)
    private func slowAnswerLeavesPlaceInList(_ write: Write) async throws {
        let temporary = try await TemporaryStore([Stack.self, Sheet.self])
        let gate = Gate()
        try await LoopbackServer.run { request in
            if request.path == "/slow" {
                await gate.pass()
                return .json(#"[{"id": 2, "stack": 2}]"#)
            }
            return .json(#"[{"id": 2, "stack": 1}]"#)
        } body: { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Sheet.self))
            let context = temporary.store.mainContext
            let sheets = try [2, 1, 3].map { try Sheet.insert(into: context, id: $0) }
            let stack = try Stack.insert(into: context, id: 1)
            stack.sheets = sheets
            _ = try Stack.insert(into: context, id: 2)
            try await context.save()
            let slow = Task {
                try await api.getObjects(Sheet.self, at: "slow", into: temporary.store)
            }
            await gate.arrivals()
            var expected = [2, 1, 3]
            switch write {
            case .confirmation:
                try await api.getObjects(Sheet.self, at: "fast", into: temporary.store)
            case .order:
                stack.sheets = [1, 2, 3].map { id in sheets.first { $0.id == id } ?? sheets[0] }
                expected = [1, 2, 3]
                try await context.save()
            }
            gate.open()
            _ = try await slow.value
            #expect(stack.sheets.map(\.id) == expected)
            #expect(
                try temporary.rows(
                    "SELECT h.id, s.id FROM Sheet h JOIN Stack s ON s.restkit_key = h.stack "
                        + "ORDER BY h.restkit_position_stack, h.restkit_key")
                    == expected.map { "\($0)|1" })
        }
    }

    /// The owner that a later request has named has no place for the position of an older list.
    @Test func slowListGivesNoPositionInOtherList() async throws {
        let temporary = try await TemporaryStore([Stack.self, Sheet.self])
        let gate = Gate()
        try await LoopbackServer.run { request in
            if request.path == "/slow" {
                await gate.pass()
                return .json(#"[{"id": 1, "sheets": [3, 2, 1]}]"#)
            }
            return .json(#"[{"id": 2, "stack": 2}]"#)
        } body: { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Stack.self, at: "slow"))
            try api.add(ResponseDescriptor(Sheet.self, at: "fast"))
            let context = temporary.store.mainContext
            let sheets = try (1...6).map { try Sheet.insert(into: context, id: $0) }
            try Stack.insert(into: context, id: 1).sheets = Array(sheets[..<3])
            let other = try Stack.insert(into: context, id: 2)
            other.sheets = Array(sheets[3...])
            try await context.save()
            let slow = Task {
                try await api.getObjects(Stack.self, at: "slow", into: temporary.store)
            }
            await gate.arrivals()
            try await api.getObjects(Sheet.self, at: "fast", into: temporary.store)
            #expect(other.sheets.map(\.id) == [4, 5, 6, 2])
            gate.open()
            _ = try await slow.value
            #expect(other.sheets.map(\.id) == [4, 5, 6, 2])
        }
    }
}
