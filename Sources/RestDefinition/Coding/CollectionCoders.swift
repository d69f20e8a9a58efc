// SPDX-License-Identifier: Apache-2.0

extension ValueCoder {
    /// Returns the coder of a sequence.
    static func list<Element>(
        _ element: ValueCoder<Element>, minimum: Int = 0
    ) -> ValueCoder<[Element]> where Value == [Element] {
        ValueCoder(
            .sequence(of: element.schema, minimum: minimum), [.sequence],
            expectation: "a list of values, each \(element.expectation)",
            read: { source, context in
                guard case .sequence(let elements) = source.content else { return nil }
                if elements.count < minimum {
                    context.report(
                        .invalidValue, at: source.location, "the list is empty",
                        advice: "write \(element.expectation), or remove the key")
                    return nil
                }
                return elements.enumerated().compactMap { index, value in
                    context.descend(into: value, at: index) { element.read(value, &$0) }
                }
            },
            write: { SourceValue(.sequence($0.compactMap(element.write))) })
    }

    /// Returns the coder of a sequence, or of its only element in place of it.
    ///
    /// An element must not be a sequence.
    static func oneOrMany<Element>(
        _ element: ValueCoder<Element>
    ) -> ValueCoder<[Element]> where Value == [Element] {
        let single = ValueCoder(
            element.schema, element.kinds, expectation: element.expectation,
            read: { source, context in element.read(source, &context).map { [$0] } },
            write: { $0.count == 1 ? element.write($0[0]) : nil })
        return .either(
            [single, .list(element, minimum: 1)], expectation: element.expectation + ", or a list")
    }

    /// Returns the coder of a mapping from names to values.
    ///
    /// - Parameters:
    ///   - element: The coder of a value.
    ///   - what: A description of the names, such as `the name of a resource`.
    ///   - pattern: The regular expression of names in JSON Schema.
    ///   - isName: Returns whether a name is valid, as the expression says.
    /// - Returns: The coder.
    static func names<Element>(
        _ element: ValueCoder<Element>, _ what: String, pattern: String?,
        isName: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ValueCoder<[Named<Element>]> where Value == [Named<Element>] {
        ValueCoder(
            .map(of: element.schema, names: pattern), [.mapping],
            expectation: "a mapping from \(what) to \(element.expectation)",
            read: { source, context in
                var known: Set<String> = []
                return (source.members ?? []).compactMap { member in
                    context.descend(into: member) { context in
                        if !known.insert(member.key).inserted {
                            context.report(
                                .duplicateName, at: member.location,
                                "`\(member.key)` appears twice", advice: "remove one of them")
                            return nil
                        }
                        if !isName(member.key) {
                            context.report(
                                .invalidValue, at: member.location,
                                "`\(member.key)` is not \(what)",
                                advice: "write letters, digits and `_`, a letter first")
                            return nil
                        }
                        return element.read(member.value, &context).map {
                            Named(member.key, $0)
                        }
                    }
                }
            },
            write: { elements in
                SourceValue(
                    .mapping(
                        elements.compactMap { named in
                            element.write(named.value).map { .init(named.name, $0) }
                        }))
            })
    }
}

/// A value with its name.
struct Named<Value: Sendable>: Sendable {
    let name: String
    let value: Value

    init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension Named: Equatable where Value: Equatable {}

extension ValueCoder {
    /// Returns the coder of a mapping as an array of elements that have their names.
    ///
    /// - Parameters:
    ///   - name: Returns the name of an element.
    ///   - rename: Returns an element with a name.
    ///   - content: Returns the element without its name.
    /// - Returns: The coder.
    func named<Element, Result>(
        name: @escaping @Sendable (Result) -> String,
        _ rename: @escaping @Sendable (Element, String) -> Result,
        _ content: @escaping @Sendable (Result) -> Element
    ) -> ValueCoder<[Result]> where Value == [Named<Element>], Result: Sendable {
        map(
            read: { elements, _, _ in elements.map { rename($0.value, $0.name) } },
            write: { results in results.map { Named(name($0), content($0)) } })
    }
}

/// The rule for names of resources, parents and entities, which placeholders and SQL contain.
enum DefinitionName {
    /// The regular expression of a name.
    static let pattern = "^[A-Za-z][A-Za-z0-9_]{0,62}$"

    /// Returns a Boolean value that indicates whether a text is a name.
    static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 63 else { return false }
        let isLetter = { (byte: UInt8) in
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        return isLetter(first)
            && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}
