// SPDX-License-Identifier: Apache-2.0

/// A key of a mapping, with both conversions.
struct ObjectKey<Object: Sendable>: Sendable {
    let schema: ObjectSchema.Key
    /// Sets the property of an object, or reports a diagnostic.
    let read: @Sendable (SourceValue, inout Object, inout ReadingContext) -> Void
    /// Returns the value of the property; `nil` if the key is not written.
    let write: @Sendable (Object) -> SourceValue?

    /// Returns a required key.
    static func required<Value>(
        _ name: String, _ property: any WritableKeyPath<Object, Value> & Sendable,
        _ coder: ValueCoder<Value>, _ summary: String
    ) -> ObjectKey {
        ObjectKey(
            schema: .init(name: name, summary: summary, value: coder.schema, isRequired: true),
            read: { source, object, context in
                if let value = coder.read(source, &context) { object[keyPath: property] = value }
            },
            write: { coder.write($0[keyPath: property]) })
    }

    /// Returns a key whose absence has a meaning, which is the initial value of the property.
    ///
    /// A value that equals the initial one is not written.
    static func optional<Value: Equatable & Sendable>(
        _ name: String, _ property: any WritableKeyPath<Object, Value> & Sendable,
        _ coder: ValueCoder<Value>, default initial: Value, _ summary: String
    ) -> ObjectKey {
        ObjectKey(
            schema: .init(
                name: name, summary: summary, value: coder.schema, isRequired: false,
                preset: coder.write(initial)),
            read: { source, object, context in
                if let value = coder.read(source, &context) { object[keyPath: property] = value }
            },
            write: { object in
                let value = object[keyPath: property]
                return value == initial ? nil : coder.write(value)
            })
    }

    /// Returns a key of an optional property.
    static func optional<Value: Equatable & Sendable>(
        _ name: String, _ property: any WritableKeyPath<Object, Value?> & Sendable,
        _ coder: ValueCoder<Value>, _ summary: String
    ) -> ObjectKey {
        ObjectKey(
            schema: .init(name: name, summary: summary, value: coder.schema, isRequired: false),
            read: { source, object, context in
                if let value = coder.read(source, &context) { object[keyPath: property] = value }
            },
            write: { $0[keyPath: property].flatMap(coder.write) })
    }
}

extension ValueCoder {
    /// Returns the coder of a mapping with declared keys.
    ///
    /// - Parameters:
    ///   - name: The name of the mapping, such as `resource`.
    ///   - initial: The object of an empty mapping.
    ///   - keys: The keys in the order in which they are written.
    ///   - cases: The types, if the key `type` decides which keys there are.
    ///   - alternatives: The keys of which there must be exactly one.
    ///   - dependencies: Keys that have no effect without another one.
    /// - Returns: The coder.
    static func object(
        _ name: String, _ initial: Value, _ keys: [ObjectKey<Value>],
        cases: [ObjectSchema.Case] = [], alternatives: [String] = [],
        dependencies: [ObjectSchema.Dependency] = []
    ) -> ValueCoder {
        let schema = ObjectSchema(
            name: name, keys: keys.map(\.schema), cases: cases, alternatives: alternatives,
            dependencies: dependencies)
        let reader = MappingReader(schema)
        return ValueCoder(
            .object(schema), [.mapping],
            expectation: "a mapping with " + Spelling.alternatives(schema.firstKeys),
            read: { source, context in
                let found = reader.members(of: source, &context)
                var object = initial
                for (member, index) in found.members {
                    context.descend(into: member) {
                        keys[index].read(member.value, &object, &$0)
                    }
                }
                return found.isComplete ? object : nil
            },
            write: { object in
                let members = keys.compactMap { key in
                    key.write(object).map { SourceValue.Member(key.schema.name, $0) }
                }
                return SourceValue(.mapping(members))
            })
    }
}

extension ObjectSchema {
    /// The keys to name in a message about a value that is not a mapping.
    fileprivate var firstKeys: [String] {
        let required = keys.filter(\.isRequired).map(\.name)
        if !required.isEmpty { return required }
        return alternatives.isEmpty ? Array(keys.map(\.name).prefix(4)) : alternatives
    }
}

/// A reader of the members of a mapping, which reports unknown, repeated, missing and excluded keys.
struct MappingReader: Sendable {
    /// The members with declared keys.
    struct Found {
        var members: [(member: SourceValue.Member, key: Int)] = []
        /// A Boolean value that indicates whether no required key is missing.
        var isComplete = true
    }

    private let schema: ObjectSchema
    private let indices: [String: Int]

    init(_ schema: ObjectSchema) {
        self.schema = schema
        indices = Dictionary(
            uniqueKeysWithValues: schema.keys.enumerated().map { ($0.element.name, $0.offset) })
    }

    /// Returns the members of a mapping with declared keys.
    func members(of source: SourceValue, _ context: inout ReadingContext) -> Found {
        var found = Found()
        let type = source["type"]?.scalarText.flatMap { name in
            schema.cases.first { $0.type == name }
        }
        let names = schema.names(for: type)
        var known: Set<String> = []
        for member in source.members ?? [] {
            guard let index = indices[member.key] else {
                context.report(
                    .unknownKey, at: member.location,
                    "unknown key `\(member.key)` of \(schema.name)",
                    advice: Spelling.advice(for: member.key, among: names))
                continue
            }
            guard known.insert(member.key).inserted else {
                context.report(
                    .duplicateName, at: member.location, "key `\(member.key)` appears twice",
                    advice: "remove one of them")
                continue
            }
            if let type, !names.contains(member.key) {
                let owners = schema.cases.filter { $0.has(member.key) }.map(\.type)
                context.report(
                    .noEffect, at: member.location,
                    "`\(member.key)` has no effect with `type: \(type.type)`",
                    advice: "remove it, or write `type` " + Spelling.alternatives(owners))
                continue
            }
            found.members.append((member, index))
        }
        for name in schema.keys.filter(\.isRequired).map(\.name) + (type?.required ?? [])
        where !known.contains(name) {
            found.isComplete = false
            context.report(
                .missingKey, at: source.location, "key `\(name)` of \(schema.name) is missing",
                advice: "write `\(name): …`")
        }
        for dependency in schema.dependencies
        where known.contains(dependency.key) && !known.contains(dependency.other) {
            let member = source.members?.first { $0.key == dependency.key }
            context.report(
                .noEffect, at: member?.location,
                "`\(dependency.key)` has no effect without `\(dependency.other)`",
                advice: "write `\(dependency.other)`, or remove it")
        }
        checkAlternatives(source, known, &context, &found)
        return found
    }

    private func checkAlternatives(
        _ source: SourceValue, _ known: Set<String>, _ context: inout ReadingContext,
        _ found: inout Found
    ) {
        guard !schema.alternatives.isEmpty else { return }
        let chosen = schema.alternatives.filter(known.contains)
        if chosen.count == 1 { return }
        found.isComplete = false
        let advice = "write one of " + Spelling.alternatives(schema.alternatives)
        if chosen.isEmpty {
            context.report(
                .missingKey, at: source.location, "the \(schema.name) is incomplete",
                advice: advice)
        } else {
            context.report(
                .conflict, at: source.location,
                "\(chosen.map { "`\($0)`" }.joined(separator: " and ")) exclude each other",
                advice: advice)
        }
    }
}
