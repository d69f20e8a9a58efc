// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import RestOutbox
import RestSync
import RestTransport
import Synchronization

/// The warnings about servers with weak entity tags, one for each entity and host.
///
/// The identity of the warnings of one sender.
final class WeakTagWarnings: Sendable {
    private struct Source: Hashable {
        let entity: String
        let host: String
    }

    private let known = Mutex<Set<Source>>([])

    /// Logs that the condition of an entity does not apply, if a response has a weak tag.
    func note(
        _ response: ObjectResponse, of declaration: SentDeclaration,
        _ reader: RepresentationReader, by manager: ObjectManager
    ) {
        guard reader.hasWeakTag(response) else { return }
        let source = Source(entity: declaration.entity.name, host: response.url.host)
        guard known.withLock({ $0.insert(source).inserted }) else { return }
        let remedy =
            declaration.precondition.refusesWeakTags
            ? "updates and deletions are refused"
            : "objects are read before each update and deletion"
        manager.warn(
            of:
                "\(source.host) has weak entity tags of \(source.entity), which never match If-Match: "
                + "\(remedy); declare another precondition")
    }
}
