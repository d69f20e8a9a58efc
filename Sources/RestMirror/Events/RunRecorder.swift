// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The recorder of the events of a run, which tasks share.
final class RunRecorder: Sendable {
    private struct State {
        var summaries: [String: ResourceSummary] = [:]
        var warnings: [MirrorWarning] = []
        var deleted: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let observer: @Sendable (MirrorEvent) -> Void

    init(_ observer: @escaping @Sendable (MirrorEvent) -> Void) { self.observer = observer }

    func report(_ event: MirrorEvent) {
        let isNew = state.withLock { state in
            switch event {
            case .finished(let summary): state.summaries[summary.resource] = summary
            case .warning(let warning):
                // One warning of a kind for each resource, as lists can have millions of them.
                if state.warnings.contains(where: {
                    $0.kind == warning.kind && $0.resource == warning.resource
                }) {
                    return false
                }
                state.warnings.append(warning)
            case .deleted(let entity, let count): state.deleted[entity, default: 0] += count
            default: break
            }
            return true
        }
        if isNew { observer(event) }
    }

    func summary(in order: [String], isCancelled: Bool) -> MirrorSummary {
        state.withLock { state in
            var summary = MirrorSummary()
            summary.resources = order.compactMap { state.summaries[$0] }
            summary.warnings = state.warnings
            summary.deletedCount = state.deleted.values.reduce(0, +)
            summary.isCancelled = isCancelled
            return summary
        }
    }
}
