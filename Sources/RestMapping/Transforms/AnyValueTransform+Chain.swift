// SPDX-License-Identifier: Apache-2.0

extension AnyValueTransform {
    /// Creates a chain: the first member that succeeds converts a value.
    ///
    /// A member that is listed twice stays at its last position.
    public init(firstOf members: [AnyValueTransform]) {
        content = .chain([])
        dateFormat = nil
        for member in members { add(member) }
    }

    // MARK: Members

    /// The members of a chain, in the order in which they are tried.
    ///
    /// A transform that is not a chain is its own only member.
    public var members: [AnyValueTransform] {
        switch content {
        case .directions: [self]
        case .chain(let members): members
        }
    }

    /// Appends a member to a chain, or moves it to the end.
    ///
    /// A transform that is not a chain becomes a chain of itself and the new member. Two transforms
    /// are the same member if their names are equal.
    public mutating func add(_ member: AnyValueTransform) {
        insert(member, at: .max)
    }

    /// Inserts a member into a chain, or moves it to a new position.
    ///
    /// - Parameters:
    ///   - member: The transform, which is tried before the members at and after the position.
    ///   - position: The offset among the other members; a larger offset than their number means
    ///     the end.
    public mutating func insert(_ member: AnyValueTransform, at position: Int) {
        var others = members.filter { !$0.isSameMember(as: member) }
        others.insert(member, at: min(position, others.count))
        self = AnyValueTransform(chain: others)
    }

    /// Removes a member from a chain.
    ///
    /// - Returns: A Boolean value that indicates whether the transform was a member.
    @discardableResult
    public mutating func remove(_ member: AnyValueTransform) -> Bool {
        let others = members.filter { !$0.isSameMember(as: member) }
        guard others.count < members.count else { return false }
        self = AnyValueTransform(chain: others)
        return true
    }

    /// Returns the members that can convert one type to another, in order.
    public func members(from input: Any.Type, to output: Any.Type) -> [AnyValueTransform] {
        members.filter { $0.canTransform(from: input, to: output) }
    }

    private init(chain members: [AnyValueTransform]) {
        content = .chain(members)
        dateFormat = nil
    }

    private var isChain: Bool {
        if case .chain = content { true } else { false }
    }

    private func isSameMember(as other: AnyValueTransform) -> Bool {
        name == other.name && isChain == other.isChain && dateFormat == other.dateFormat
    }

    /// A Boolean value that indicates whether the transform is ``identity``.
    var isIdentity: Bool { isSameMember(as: .identity) }

    func transformByFirstMember(
        _ value: Any?, to output: Any.Type
    ) throws(TransformFailure) -> Any? {
        let input: Any.Type = value.map { type(of: $0) } ?? Never?.self
        var details: [TransformFailure] = []
        for member in members(from: input, to: output) {
            do throws(TransformFailure) {
                return try member.transform(value, to: output)
            } catch {
                details.append(error)
            }
        }
        throw TransformFailure(
            .failed, transform: name, input: input, output: output, details: details,
            isRefusal: details.allSatisfy(\.isRefusal))
    }
}

extension AnyValueTransform {
    /// Creates RestKit's default chain.
    ///
    /// Its order: the preferred date format or else the first, identity, URL, decimals, numbers,
    /// collections, null, Base64, archives of values other than text, string values, collections
    /// with one element, timestamps, seconds since 1970, the other date formats.
    ///
    /// - Parameters:
    ///   - dates: The date formats.
    ///   - coercions: The coercions that text may go through on its way to a number.
    /// - Returns: A chain, whose members can be changed.
    public static func standard(
        dates: DateFormats = .standard, coercions: Coercions = .standard
    ) -> AnyValueTransform {
        let formats = [dates.preferred].compactMap(\.self) + dates.formats
        var chain = AnyValueTransform(firstOf: [
            .identity, .url, .decimalNumber, .decimalString, .number,
            .numberString(coercions: coercions), .arrayDistinctArray, .arraySet, .null,
            .base64, .structureArchive, .stringValue, .collectionOfOne,
        ])
        for format in [.timestamp, .seconds] + formats.dropFirst()
        where !chain.members.contains(where: { $0.dateFormat == format }) {
            chain.add(.date(format))
        }
        if let first = formats.first { chain.insert(.date(first), at: 0) }
        return chain
    }
}
