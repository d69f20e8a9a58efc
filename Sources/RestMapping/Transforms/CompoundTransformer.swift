// SPDX-License-Identifier: Apache-2.0

/// Transformers that are tried in order: the first that succeeds converts a value.
///
/// A value type: a copy is a list of its own. Two members are the same if their types and names
/// are; adding or inserting one that is there already moves it.
public struct CompoundTransformer: ValueTransforming {
    private var members: [any ValueTransforming]

    /// What the list is called in failures.
    public var name: String { "compound of \(count)" }

    /// Makes a list.
    public init(_ members: [any ValueTransforming] = []) {
        self.members = []
        for member in members { add(member) }
    }

    // MARK: Members

    /// Adds a transformer to the end.
    public mutating func add(_ transformer: some ValueTransforming) {
        remove(transformer)
        members.append(transformer)
    }

    /// Puts a transformer where it is tried before those from a position on.
    public mutating func insert(_ transformer: some ValueTransforming, at position: Int) {
        remove(transformer)
        members.insert(transformer, at: Swift.min(position, members.count))
    }

    /// Takes a transformer out, if it is there.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    public mutating func remove(_ transformer: some ValueTransforming) -> Bool {
        let count = members.count
        members.removeAll { type(of: $0) == type(of: transformer) && $0.name == transformer.name }
        return members.count < count
    }

    /// The members that can convert one type to another, in order.
    public func transformers(
        from input: Any.Type, to output: Any.Type
    ) -> [any ValueTransforming] {
        members.filter { $0.canTransform(from: input, to: output) }
    }

    // MARK: Converting

    /// Whether a member can convert one type to another.
    public func canTransform(from input: Any.Type, to output: Any.Type) -> Bool {
        members.contains { $0.canTransform(from: input, to: output) }
    }

    /// Converts a value by the first member that can and succeeds.
    ///
    /// - Throws: ``TransformFailure`` with code ``TransformFailure/Code/failed`` and what every
    ///   member consulted said.
    public func transform(_ value: Any?, to output: Any.Type) throws(TransformFailure) -> Any? {
        let input: Any.Type = value.map { type(of: $0) } ?? Never?.self
        var details: [TransformFailure] = []
        for member in transformers(from: input, to: output) {
            do throws(TransformFailure) {
                return try member.transform(value, to: output)
            } catch {
                details.append(error)
            }
        }
        throw TransformFailure(
            .failed, transformer: name, input: input, output: output, details: details,
            isRefusal: details.allSatisfy(\.isRefusal))
    }
}

extension CompoundTransformer: RandomAccessCollection {
    /// The position of the first member.
    public var startIndex: Int { 0 }
    /// The position after the last member.
    public var endIndex: Int { members.count }
    /// The member at a position.
    public subscript(position: Int) -> any ValueTransforming { members[position] }
}

extension CompoundTransformer {
    /// The default chain, in RestKit's order.
    ///
    /// The preferred date format or else the first, identity, URL, decimals, numbers, collections,
    /// null, Base64, archives of what is no text, string values, collections of one, timestamps,
    /// seconds since 1970, the other date formats.
    ///
    /// - Parameters:
    ///   - dates: The formats of dates.
    ///   - coercions: What may be made of text that is no number.
    /// - Returns: A list to be changed at will.
    public static func standard(
        dates: DateFormats = .standard, coercions: Coercions = .standard
    ) -> CompoundTransformer {
        let formats = [dates.preferred].compactMap(\.self) + dates.formats
        let transformers: [Transformer] = [
            .identity, .url, .decimalNumber, .decimalString, .number,
            .numberString(coercions: coercions), .arrayDistinctArray, .arraySet, .null,
            .base64, .structureArchive, .stringValue, .collectionOfOne,
        ]
        var chain = CompoundTransformer(transformers)
        for format in [.timestamp, .seconds] + formats.dropFirst() where !chain.contains(format) {
            chain.add(format)
        }
        if let first = formats.first { chain.insert(first, at: 0) }
        return chain
    }

    private func contains(_ format: DateFormat) -> Bool {
        members.contains { $0 as? DateFormat == format }
    }
}
