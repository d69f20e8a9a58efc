// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A set of request methods: one, several, or all.
///
/// ```swift
/// Route(Article.self, "articles/:id", methods: [.get, .head])
/// ResponseDescriptor(Article.self, at: "articles", methods: .post)
/// ```
///
/// ``any`` contains extension methods too and is therefore different from the set of all methods
/// that RFC 9110 and RFC 5789 define.
public struct MethodSet: Sendable, Hashable {
    // A bit for each of the common methods.
    private var common: UInt8 = 0
    private var others: Set<HTTPRequest.Method> = []

    /// A Boolean value that indicates whether the set contains all methods.
    public private(set) var isAny = false

    private static let commonMethods: [HTTPRequest.Method] = [
        .get, .post, .put, .delete, .head, .patch, .options,
    ]

    /// Creates a set with the methods of a sequence.
    public init(_ methods: some Sequence<HTTPRequest.Method>) {
        for method in methods {
            insert(method)
        }
    }

    /// Creates a set with one method.
    public init(_ method: HTTPRequest.Method) {
        insert(method)
    }

    /// All methods.
    public static let any: MethodSet = {
        var set = MethodSet(EmptyCollection())
        set.isAny = true
        return set
    }()

    /// The method GET.
    public static let get = MethodSet(.get)
    /// The method POST.
    public static let post = MethodSet(.post)
    /// The method PUT.
    public static let put = MethodSet(.put)
    /// The method DELETE.
    public static let delete = MethodSet(.delete)
    /// The method HEAD.
    public static let head = MethodSet(.head)
    /// The method PATCH.
    public static let patch = MethodSet(.patch)
    /// The method OPTIONS.
    public static let options = MethodSet(.options)

    /// A Boolean value that indicates whether the set contains no method.
    public var isEmpty: Bool { !isAny && common == 0 && others.isEmpty }

    /// The method of a set with exactly one method; `nil` for all other sets.
    public var method: HTTPRequest.Method? {
        guard !isAny, common.nonzeroBitCount + others.count == 1 else { return nil }
        return others.first ?? Self.commonMethods[common.trailingZeroBitCount]
    }

    /// Returns a Boolean value that indicates whether the set contains a method.
    public func contains(_ method: HTTPRequest.Method) -> Bool {
        if isAny { return true }
        let bit = Self.bit(of: method)
        return bit == 0 ? others.contains(method) : common & bit != 0
    }

    /// Returns a Boolean value that indicates whether two sets have a method in common.
    public func overlaps(_ other: MethodSet) -> Bool {
        if isAny { return !other.isEmpty }
        if other.isAny { return !isEmpty }
        return common & other.common != 0 || !others.isDisjoint(with: other.others)
    }

    /// Returns a set with the methods of both sets.
    public func union(_ other: MethodSet) -> MethodSet {
        if isAny || other.isAny { return .any }
        var result = self
        result.common |= other.common
        result.others.formUnion(other.others)
        return result
    }

    private mutating func insert(_ method: HTTPRequest.Method) {
        let bit = Self.bit(of: method)
        if bit == 0 { others.insert(method) } else { common |= bit }
    }

    /// Returns the bit of a common method; 0 for other methods.
    private static func bit(of method: HTTPRequest.Method) -> UInt8 {
        switch method {
        case .get: 1 << 0
        case .post: 1 << 1
        case .put: 1 << 2
        case .delete: 1 << 3
        case .head: 1 << 4
        case .patch: 1 << 5
        case .options: 1 << 6
        default: 0
        }
    }
}

extension MethodSet {
    /// The precision with which a set contains a method, the most precise first.
    enum Precision: Int, Comparable {
        case exact
        case combination
        case any

        static func < (left: Precision, right: Precision) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// Returns the precision with which the set contains a method; `nil` if it does not.
    func precision(for method: HTTPRequest.Method) -> Precision? {
        guard contains(method) else { return nil }
        return precision
    }

    /// The precision with which the set contains its methods.
    var precision: Precision {
        if isAny { return .any }
        return common.nonzeroBitCount + others.count == 1 ? .exact : .combination
    }
}

extension MethodSet: ExpressibleByArrayLiteral {
    /// Creates a set with the methods of the given sets, such as `[.get, .head]`.
    public init(arrayLiteral sets: MethodSet...) {
        self = sets.reduce(MethodSet(EmptyCollection())) { $0.union($1) }
    }
}

extension MethodSet: CustomStringConvertible {
    /// The methods in alphabetical order, or `any method`.
    public var description: String {
        if isAny { return "any method" }
        if isEmpty { return "no method" }
        let methods = Self.commonMethods.filter { contains($0) } + others
        return methods.map(\.rawValue).sorted().joined(separator: ", ")
    }
}
