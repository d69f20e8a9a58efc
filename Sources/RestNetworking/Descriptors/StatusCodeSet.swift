// SPDX-License-Identifier: Apache-2.0

/// A set of HTTP status codes.
///
/// A set may be one of the classes of RFC 9110 §15, such as ``successful``, or consist of ranges and
/// single codes.
public struct StatusCodeSet: Sendable, Hashable {
    /// The status codes as ascending ranges that neither overlap nor adjoin.
    public let ranges: [ClosedRange<Int>]

    /// Creates a set with the codes of several ranges, which may overlap.
    public init(_ ranges: [ClosedRange<Int>]) {
        var merged: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, last.upperBound >= range.lowerBound - 1 {
                let upper = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...upper
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    /// Creates a set with the codes of a range.
    public init(_ range: ClosedRange<Int>) {
        self.init([range])
    }

    /// The codes 100 to 199.
    public static let informational = StatusCodeSet(100...199)
    /// The codes 200 to 299.
    public static let successful = StatusCodeSet(200...299)
    /// The codes 300 to 399.
    public static let redirection = StatusCodeSet(300...399)
    /// The codes 400 to 499.
    public static let clientError = StatusCodeSet(400...499)
    /// The codes 500 to 599.
    public static let serverError = StatusCodeSet(500...599)
    /// The codes 400 to 599.
    public static let error = StatusCodeSet(400...599)

    /// Returns a Boolean value that indicates whether the set contains a code.
    public func contains(_ code: Int) -> Bool {
        ranges.contains { $0.contains(code) }
    }

    /// Returns a Boolean value that indicates whether both sets contain a code.
    func overlaps(_ other: StatusCodeSet) -> Bool {
        ranges.contains { range in other.ranges.contains { $0.overlaps(range) } }
    }

    /// Returns a set with the codes of both sets.
    public func union(_ other: StatusCodeSet) -> StatusCodeSet {
        StatusCodeSet(ranges + other.ranges)
    }
}

extension StatusCodeSet: ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
    /// Creates a set with one code.
    public init(integerLiteral code: Int) {
        self.init(code...code)
    }

    /// Creates a set with the given codes.
    public init(arrayLiteral codes: Int...) {
        self.init(codes.map { $0...$0 })
    }
}

extension StatusCodeSet: CustomStringConvertible {
    /// The ranges, such as `200-299, 404`.
    public var description: String {
        ranges.map { range in
            range.count == 1
                ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ", ")
    }
}
