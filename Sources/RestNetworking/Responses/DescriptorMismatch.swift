// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestMapping
import RestTransport

/// A response descriptor that does not apply to a response, and the reasons.
public struct DescriptorMismatch: Sendable {
    /// A condition of a descriptor that a response does not fulfil.
    public enum Condition: Sendable, Hashable {
        /// The descriptor is for other methods.
        case method
        /// The URL is not below the base URL of the descriptor.
        case baseURL
        /// The path does not match the pattern of the descriptor.
        case path
        /// The descriptor is for other status codes.
        case status
        /// The document has no value at the key path of the descriptor.
        case keyPath
        /// The descriptor is for objects of other types than the requested one.
        case type
        /// Another descriptor with the same key path takes precedence.
        case precedence
    }

    /// The descriptor.
    public let descriptor: ResponseDescriptor

    /// The conditions that are not fulfilled; never empty.
    public let conditions: [Condition]

    /// A measure of how much of a request would have to be different; at least 1.
    let distance: Int

    private let reasons: [String]

    /// Creates a mismatch of a descriptor that does not match an exchange, or that is not used
    /// although it does.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - exchange: The request and the status of the response.
    ///   - remaining: The reason not to use the descriptor if it matches the exchange.
    init(
        of descriptor: ResponseDescriptor, for exchange: DescribedExchange,
        otherwise remaining: Condition
    ) {
        self.descriptor = descriptor
        var conditions: [Condition] = []
        var reasons: [String] = []
        var distance = 0
        let location = exchange.location
        if let paths = location.paths(relativeTo: descriptor.baseURL) {
            if !descriptor.matches(location), let path = paths.first {
                conditions.append(.path)
                reasons.append("the path \"\(path)\" does not match \"\(descriptor.path ?? "")\"")
                let pattern = descriptor.pathPattern
                distance += 40 + (paths.compactMap { pattern?.distance(to: $0) }.min() ?? 0)
            }
        } else {
            conditions.append(.baseURL)
            let baseURL = descriptor.baseURL ?? location.baseURL
            reasons.append("the URL is not under \(baseURL?.description ?? "")")
            distance += 400
        }
        if !descriptor.matches(method: exchange.method) {
            conditions.append(.method)
            reasons.append("the method is \(exchange.method.rawValue)")
            distance += 20
        }
        if !descriptor.matches(status: exchange.status) {
            conditions.append(.status)
            let expected = descriptor.statusCodes?.description ?? ""
            reasons.append("status \(exchange.status) is not in \(expected)")
            distance += 10
        }
        if let expected = exchange.expected, !descriptor.describesObjects(of: expected) {
            conditions.append(.type)
            reasons.append("the requested type is \(expected.mapping.mapping.name)")
            distance += 200
        }
        if conditions.isEmpty {
            conditions.append(remaining)
            distance = 1
            reasons.append(
                remaining == .precedence
                    ? "another descriptor for the same key path takes precedence"
                    : "there is nothing at its key path")
        }
        self.conditions = conditions
        self.reasons = reasons
        self.distance = distance
    }
}

extension DescriptorMismatch: CustomStringConvertible {
    /// The descriptor and the reasons.
    public var description: String {
        "\(descriptor): " + reasons.joined(separator: ", and ")
    }
}

/// The properties of a request and its response that descriptors are compared with.
struct DescribedExchange: Sendable {
    let location: RequestedLocation
    let method: HTTPRequest.Method
    let status: Int
    /// The descriptor whose objects are requested; `nil` for all objects.
    var expected: ResponseDescriptor?
}

extension PathPattern {
    /// Returns a measure of the difference of a path that does not match the pattern, from 0 to 50.
    func distance(to path: NormalizedPath) -> Int {
        let slash = UInt8(ascii: "/")
        let parts = path.bytes.split(separator: slash, omittingEmptySubsequences: false)
        let segments = segments
        var distance = 6 * abs(parts.count - segments.count)
        for (segment, part) in zip(segments, parts) where !segment.mayMatch(part) {
            distance += segment.hasParameter ? 5 : Self.distance(segment.prefix, part)
        }
        return min(distance, 50)
    }

    /// Returns the length of what lies between the common beginning and the common end.
    private static func distance(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> Int {
        let common = zip(left, right).prefix { $0 == $1 }.count
        let end = zip(left.dropFirst(common).reversed(), right.dropFirst(common).reversed())
            .prefix { $0 == $1 }.count
        return min(max(left.count, right.count) - common - end, 10)
    }
}
