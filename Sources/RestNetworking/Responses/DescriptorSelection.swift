// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping

/// Selects the descriptors of a response by its method, status and requested URL, and by what its
/// document contains.
///
/// A pure function of the configuration that the request started with.
struct DescriptorSelection: Sendable {
    /// The descriptors of the object manager.
    let descriptors: ResponseDescriptorIndex

    /// The descriptor whose objects are requested; `nil` to use all descriptors that match.
    ///
    /// A successful response is described by the descriptors for objects of the same type. If none of
    /// them is for the URL, for any method or status, this descriptor describes it.
    let expected: ResponseDescriptor?

    /// The key path of the requested objects, in place of that of the descriptors; `nil` for theirs.
    var keyPath: DocumentPath?

    /// The result of matching a document.
    enum Outcome {
        /// The matches, and the descriptors for the response whose key path its document lacks.
        case matches([ResponseMatch], absent: [ResponseDescriptor])
        /// The document matches no descriptor; the number of descriptors, then the causes of those
        /// that come nearest to matching.
        case noMatch(causes: [String])
    }

    /// The maximum number of descriptors whose mismatch is a cause of an error.
    private static let maximumCauseCount = 8

    /// Matches a document with the descriptors.
    ///
    /// - Parameters:
    ///   - document: The document in the response.
    ///   - location: The URL that was requested, which may differ from the one that answered.
    ///   - method: The method of the request.
    ///   - status: The status code of the response.
    /// - Returns: The matches, or the reasons why there are none.
    func match(
        _ document: Document, at location: RequestedLocation, method: HTTPRequest.Method,
        status: Int
    ) -> Outcome {
        let exchange = exchange(at: location, method: method, status: status)
        let candidates = candidates(for: exchange)
        let root = document.root
        var matches: [ResponseMatch] = []
        var absent: [ResponseDescriptor] = []
        for descriptor in Self.mostPrecise(candidates) {
            let keyPath = SourcePath(descriptor.keyPath)
            guard let plan = descriptor.plan,
                let node = root.value(at: keyPath)
            else {
                absent.append(descriptor)
                continue
            }
            matches.append(
                ResponseMatch(
                    descriptor: descriptor, plan: plan, representation: node,
                    arguments: descriptor.arguments(in: location),
                    isCollected: node.storage !== root.storage))
        }
        if matches.isEmpty, !Self.isEmptyContainer(root) {
            return .noMatch(causes: causes(of: exchange))
        }
        return .matches(matches, absent: absent)
    }

    /// Returns the parts of a response of success that are errors, by the newest descriptor first.
    func errors(
        in document: Document, at location: RequestedLocation, method: HTTPRequest.Method,
        status: Int
    ) -> [ResponseMatch] {
        let candidates = descriptors.descriptorsOfErrors(
            at: location, method: method, status: status, expecting: expected)
        guard !candidates.isEmpty else { return [] }
        let root = document.root
        return Self.mostPrecise(candidates).compactMap { descriptor in
            guard let plan = descriptor.plan,
                let node = root.value(at: SourcePath(descriptor.keyPath)),
                !Self.isNoError(node)
            else { return nil }
            return ResponseMatch(
                descriptor: descriptor, plan: plan, representation: node,
                arguments: descriptor.arguments(in: location),
                isCollected: node.storage !== root.storage)
        }
    }

    /// Returns a Boolean value that indicates whether a response can have errors although its status
    /// is one of success.
    func hasErrors(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int
    ) -> Bool {
        !descriptors.descriptorsOfErrors(
            at: location, method: method, status: status, expecting: expected
        ).isEmpty
    }

    /// Returns a Boolean value that indicates whether a value says that there is no error.
    private static func isNoError(_ node: Node) -> Bool {
        switch node.kind {
        case .null: true
        case .boolean: node.bool == false
        case .number: node.double == 0
        case .string: node.string?.isEmpty == true
        case .array, .object: node.count == 0
        }
    }

    /// Returns a Boolean value that indicates whether a descriptor is for a response.
    ///
    /// If `namingStatus` is true, descriptors for all status codes are ignored.
    func hasDescriptor(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int,
        namingStatus: Bool
    ) -> Bool {
        descriptors.descriptors(at: location, method: method, status: status).contains {
            !namingStatus || $0.statusCodes != nil
        }
    }

    /// Returns the descriptors for an exchange, whatever its document contains, the newest first.
    func candidates(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int
    ) -> [ResponseDescriptor] {
        candidates(for: exchange(at: location, method: method, status: status))
    }

    private func exchange(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int
    ) -> DescribedExchange {
        DescribedExchange(
            location: location, method: method, status: status,
            expected: StatusCodeSet.successful.contains(status) ? expected : nil)
    }

    /// Returns the descriptors for an exchange, the newest first.
    private func candidates(for exchange: DescribedExchange) -> [ResponseDescriptor] {
        guard let expected = exchange.expected else {
            return descriptors.descriptors(
                at: exchange.location, method: exchange.method, status: exchange.status)
        }
        let candidates = candidates(for: exchange, describing: expected)
        let selected: [ResponseDescriptor]
        if let fallback = defaultDescriptor(expected, for: exchange, candidates) {
            selected = [fallback]
        } else if expected.admitsOtherTypes {
            selected = descriptors.descriptors(
                at: exchange.location, method: exchange.method, status: exchange.status)
        } else {
            selected = candidates
        }
        return keyPath.map { Self.candidates(selected, at: $0) } ?? selected
    }

    private func candidates(
        for exchange: DescribedExchange, describing expected: ResponseDescriptor
    ) -> [ResponseDescriptor] {
        descriptors.descriptors(
            at: exchange.location, method: exchange.method, status: exchange.status,
            describing: expected)
    }

    /// Returns the default descriptor, if no descriptor for its type is for the URL.
    private func defaultDescriptor(
        _ expected: ResponseDescriptor, for exchange: DescribedExchange,
        _ candidates: [ResponseDescriptor]
    ) -> ResponseDescriptor? {
        guard candidates.isEmpty else { return nil }
        let declared = descriptors.descriptors(declaring: expected)
        if declared.contains(where: { $0.matches(exchange.location) }) { return nil }
        var fallback = expected
        fallback.otherDescriptors = declared
        return fallback
    }

    /// Returns the candidates for a key path, or if there are none, the first candidate with that key
    /// path in place of its own.
    private static func candidates(
        _ candidates: [ResponseDescriptor], at keyPath: DocumentPath
    ) -> [ResponseDescriptor] {
        let matching = candidates.filter { $0.keyPath == keyPath }
        return matching.isEmpty ? candidates.prefix(1).map { $0.at(keyPath) } : matching
    }

    /// Returns one descriptor for each key path: the first of those with the most precise methods.
    static func mostPrecise(_ candidates: [ResponseDescriptor]) -> [ResponseDescriptor] {
        if candidates.count < 2 { return candidates }
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

    /// Returns the number of descriptors if there are several, and why the most similar of them do not match.
    private func causes(of exchange: DescribedExchange) -> [String] {
        var all = descriptors.descriptors
        if let expected = exchange.expected,
            let fallback = defaultDescriptor(
                expected, for: exchange, candidates(for: exchange, describing: expected))
        {
            all.append(fallback)
        }
        if all.isEmpty { return ["no descriptors were added"] }
        let ranked = DescriptorExplanation.ranked(all, for: exchange, otherwise: .keyPath)
        let listed = ranked.prefix(Self.maximumCauseCount)
        if all.count == 1 { return listed.map(\.description) }
        let others = all.count > listed.count ? "; those that come nearest are listed" : ""
        return ["none of \(all.count) descriptors matches" + others] + listed.map(\.description)
    }
}
