// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// Selects the descriptors of a response by its method, URL and status, and by what its document
/// contains.
///
/// A pure function of the configuration that the request started with.
struct DescriptorSelection: Sendable {
    /// The descriptors, in the order in which they were added.
    let descriptors: [ResponseDescriptor]

    /// The descriptor of a successful response if no descriptor for objects of the same type
    /// matches; `nil` to use all descriptors that match.
    let expected: ResponseDescriptor?

    /// The result of matching a document.
    enum Outcome {
        case matches([ResponseMatch])
        /// The document matches no descriptor; one cause for each descriptor.
        case noMatch(causes: [String])
    }

    /// Matches a document with the descriptors.
    func match(
        _ document: Document, at location: ResponseLocation, method: HTTPRequest.Method,
        status: Int
    ) -> Outcome {
        var mismatches: [(ResponseDescriptor, ResponseDescriptor.Mismatch)] = []
        var candidates: [ResponseDescriptor] = []
        for descriptor in descriptors.reversed() {
            if let mismatch = descriptor.mismatch(of: location, method: method, status: status) {
                mismatches.append((descriptor, mismatch))
            } else {
                candidates.append(descriptor)
            }
        }
        if let expected, StatusCodeSet.successful.contains(status) {
            candidates.removeAll { !$0.describesObjects(of: expected) }
            if candidates.isEmpty { candidates = [expected] }
        }
        var matches: [ResponseMatch] = []
        for descriptor in Self.mostSpecific(candidates) {
            let root = document.root
            guard let plan = descriptor.plan,
                let node = root.value(at: SourcePath(descriptor.keyPath), omittingNulls: true)
            else {
                mismatches.append((descriptor, .keyPath))
                continue
            }
            matches.append(
                ResponseMatch(
                    descriptor: descriptor, plan: plan, representation: node,
                    arguments: descriptor.arguments(in: location),
                    isCollected: node.storage !== root.storage))
        }
        if matches.isEmpty, !Self.isEmptyContainer(document.root) {
            let causes = mismatches.map { descriptor, mismatch in
                descriptor.explanation(of: mismatch, at: location, method: method, status: status)
            }
            return .noMatch(causes: causes.isEmpty ? ["no descriptors were added"] : causes)
        }
        return .matches(matches)
    }

    /// Returns one descriptor for each key path: the first of those with the most precise methods.
    private static func mostSpecific(_ candidates: [ResponseDescriptor]) -> [ResponseDescriptor] {
        var selected: [ResponseDescriptor] = []
        var indices: [DocumentPath: Int] = [:]
        for candidate in candidates {
            guard let index = indices[candidate.keyPath] else {
                indices[candidate.keyPath] = selected.count
                selected.append(candidate)
                continue
            }
            if candidate.methods.precision < selected[index].methods.precision {
                selected[index] = candidate
            }
        }
        return selected
    }

    private static func isEmptyContainer(_ node: Node) -> Bool {
        (node.kind == .array || node.kind == .object) && node.count == 0
    }
}
