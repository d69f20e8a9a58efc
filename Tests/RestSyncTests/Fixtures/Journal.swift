// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A list of texts that concurrent calls add to.
final class Journal: Sendable {
    private let stored = Mutex<[String]>([])

    var entries: [String] { stored.withLock(\.self) }

    func add(_ entry: String) {
        stored.withLock { $0.append(entry) }
    }
}
