// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

/// Chooses the descriptors for a response: by method, place and status, then by what the document
/// holds.
///
/// A pure function of the snapshot a request began with.
struct DescriptorSelection: Sendable {
    /// The descriptors in the order they were added.
    let descriptors: [ResponseDescriptor]

    /// What a response of success holds if no descriptor for objects of the same type describes it;
    /// `nil` to take whatever is described.
    let expected: ResponseDescriptor?

    /// What a document was found to hold.
    enum Finding {
        case matches([ResponseMatch])
        /// Nothing; for every descriptor the reason.
        case nothing([String])
    }

    /// Matches a document.
    func finding(
        in document: Document, at place: ExchangePlace, method: HTTPRequest.Method, status: Int
    ) -> Finding {
        var mismatches: [(ResponseDescriptor, ResponseDescriptor.Mismatch)] = []
        var candidates: [ResponseDescriptor] = []
        for descriptor in descriptors.reversed() {
            if let mismatch = descriptor.mismatch(of: place, method: method, status: status) {
                mismatches.append((descriptor, mismatch))
            } else {
                candidates.append(descriptor)
            }
        }
        if let expected, StatusCodeSet.successful.contains(status) {
            candidates.removeAll { !$0.describesSubject(of: expected) }
            if candidates.isEmpty { candidates = [expected] }
        }
        var matches: [ResponseMatch] = []
        for descriptor in Self.winners(of: candidates) {
            let root = document.root
            guard let plan = descriptor.plan,
                let node = Self.representation(in: root, at: descriptor.keyPath)
            else {
                mismatches.append((descriptor, .absent))
                continue
            }
            matches.append(
                ResponseMatch(
                    descriptor: descriptor, plan: plan, representation: node,
                    arguments: descriptor.arguments(in: place),
                    isCollected: node.storage !== root.storage))
        }
        if matches.isEmpty, !Self.isEmptyContainer(document.root) {
            let causes = mismatches.map { descriptor, mismatch in
                descriptor.explanation(of: mismatch, at: place, method: method, status: status)
            }
            return .nothing(causes.isEmpty ? ["no descriptors were added"] : causes)
        }
        return .matches(matches)
    }

    /// One descriptor for each key path: the one with the most particular methods, of equal ones
    /// the first.
    private static func winners(of candidates: [ResponseDescriptor]) -> [ResponseDescriptor] {
        var winners: [ResponseDescriptor] = []
        var positions: [DocumentPath: Int] = [:]
        for candidate in candidates {
            guard let position = positions[candidate.keyPath] else {
                positions[candidate.keyPath] = winners.count
                winners.append(candidate)
                continue
            }
            if candidate.methodCount < winners[position].methodCount {
                winners[position] = candidate
            }
        }
        return winners
    }

    /// The value at a key path, where null counts as absent but for the document itself.
    ///
    /// A key that meets a list goes on into its elements; what they have there is a list.
    private static func representation(in root: Node, at keyPath: DocumentPath) -> Node? {
        guard !keyPath.components.isEmpty else { return root }
        if let node = root[keyPath] { return node.isNull ? nil : node }
        let collected = root.values(at: keyPath).filter { !$0.isNull }
        guard !collected.isEmpty else { return nil }
        var list = DocumentBuilder()
        list.beginArray()
        for node in collected { list.value(node) }
        list.end()
        return list.finish().root
    }

    private static func isEmptyContainer(_ node: Node) -> Bool {
        (node.kind == .array || node.kind == .object) && node.count == 0
    }
}

extension ResponseDescriptor {
    /// How many methods the descriptor is for; the fewer, the more particular.
    fileprivate var methodCount: Int { methods?.count ?? .max }
}
