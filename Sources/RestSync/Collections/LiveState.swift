// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RestPersistence

/// The state of a list that is shown from the store and refreshed from the server.
public struct LiveState: Sendable {
    /// The progress of a list.
    public enum Phase: Sendable {
        /// The objects are those of the store, and recent enough not to be requested.
        case stored
        /// A request is in progress; the objects are those of the store.
        case loading
        /// The server has sent or confirmed the objects.
        case fresh
        /// The last request failed; the objects are those of the store.
        case failed(any Error)

        /// The error of the last request; `nil` in other phases.
        public var error: (any Error)? {
            if case .failed(let error) = self { error } else { nil }
        }

        /// A Boolean value that indicates whether a request is in progress.
        public var isLoading: Bool { if case .loading = self { true } else { false } }

        /// A Boolean value that indicates whether the server has sent or confirmed the objects.
        public var isFresh: Bool { if case .fresh = self { true } else { false } }
    }

    /// The progress.
    public let phase: Phase

    /// The IDs of the objects in the order of the list: that of the server, unless it has its own.
    public let objectIDs: [ManagedObjectID]

    /// The time at which the objects were fetched; `nil` if the store has none.
    public let fetchedAt: Date?

    /// The time at which the server has sent the objects, or has confirmed that they are unmodified, up
    /// to an hour before the last confirmation; `nil` if the store has none.
    public let confirmedAt: Date?

    /// The moment at which the store had the objects.
    let moment: CommitPosition
}

extension LiveState {
    /// Creates the state before the store was read.
    init(_ phase: Phase, moment: CommitPosition) {
        self.init(phase: phase, objectIDs: [], fetchedAt: nil, confirmedAt: nil, moment: moment)
    }

    /// Returns the state with another phase.
    func with(_ phase: Phase) -> LiveState {
        LiveState(
            phase: phase, objectIDs: objectIDs, fetchedAt: fetchedAt, confirmedAt: confirmedAt,
            moment: moment)
    }
}
