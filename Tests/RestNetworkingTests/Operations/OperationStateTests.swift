// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import RestNetworking

@Suite struct OperationStateTests {
    private static let states: [OperationState] =
        [.pending, .ready, .cancelling]
        + OperationState.Phase.allCases.map(OperationState.executing)
        + OperationState.Outcome.allCases.map(OperationState.finished)

    private static let events: [OperationState.Event] =
        [.depend, .release, .start, .cancel]
        + OperationState.Phase.allCases.map(OperationState.Event.enter)
        + OperationState.Outcome.allCases.map(OperationState.Event.end)

    /// All transitions that exist, written out.
    private static let transitions: [OperationState: [OperationState.Event: OperationState]] = [
        .pending: [.depend: .pending, .release: .ready, .cancel: .cancelling],
        .ready: [.depend: .pending, .start: .executing(.transport), .cancel: .cancelling],
        .executing(.transport): [
            .enter(.transport): .executing(.transport), .enter(.mapping): .executing(.mapping),
            .cancel: .cancelling, .end(.succeeded): .finished(.succeeded),
            .end(.failed): .finished(.failed), .end(.cancelled): .finished(.cancelled),
        ],
        .executing(.mapping): [
            .enter(.transport): .executing(.transport), .enter(.mapping): .executing(.mapping),
            .cancel: .cancelling, .end(.succeeded): .finished(.succeeded),
            .end(.failed): .finished(.failed), .end(.cancelled): .finished(.cancelled),
        ],
        .cancelling: [
            .end(.succeeded): .finished(.cancelled), .end(.failed): .finished(.cancelled),
            .end(.cancelled): .finished(.cancelled),
        ],
    ]

    @Test(arguments: states, events)
    func permitsListedTransitionsOnly(state: OperationState, event: OperationState.Event) {
        #expect(state.state(after: event) == Self.transitions[state]?[event])
    }

    @Test func reachesEveryStateAndEndsFromEach() {
        var reached: Set<OperationState> = []
        var open: [OperationState] = [.ready]
        while let state = open.popLast() {
            guard reached.insert(state).inserted else { continue }
            let next = Self.events.compactMap { state.state(after: $0) }
            #expect(next.isEmpty == state.isFinished)
            open += next
        }
        #expect(reached == Set(Self.states))
    }

    @Test(arguments: states) func tellsKindsOfStatesApart(state: OperationState) {
        let isFinished = [.finished(.succeeded), .finished(.failed), .finished(.cancelled)]
            .contains(state)
        #expect(state.isFinished == isFinished)
        #expect(
            state.isExecuting == [.executing(.transport), .executing(.mapping)].contains(state))
        #expect(state.isCancelled == [.cancelling, .finished(.cancelled)].contains(state))
    }
}
