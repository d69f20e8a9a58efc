// SPDX-License-Identifier: Apache-2.0

/// The syntax of a value, with both conversions between the file and the definition.
///
/// The reader, the writer and JSON Schema use the same coders, so that they accept the same files.
struct ValueCoder<Value: Sendable>: Sendable {
    /// The syntax of the value.
    let schema: ValueSchema
    /// The kinds of values that are read; values of other kinds are reported.
    let kinds: Set<SourceKind>
    /// A description of the value for messages, such as `a duration such as 5m`.
    let expectation: String
    /// Returns the value of the definition; `nil` after reporting a diagnostic.
    let readContent: @Sendable (SourceValue, inout ReadingContext) -> Value?
    /// Returns the value of the file; `nil` if this syntax has no form of the value.
    let write: @Sendable (Value) -> SourceValue?

    init(
        _ schema: ValueSchema, _ kinds: Set<SourceKind>, expectation: String,
        read: @escaping @Sendable (SourceValue, inout ReadingContext) -> Value?,
        write: @escaping @Sendable (Value) -> SourceValue?
    ) {
        self.schema = schema
        self.kinds = kinds
        self.expectation = expectation
        readContent = read
        self.write = write
    }

    /// Returns the value of the definition; `nil` after reporting a diagnostic.
    func read(_ value: SourceValue, _ context: inout ReadingContext) -> Value? {
        guard kinds.contains(value.coderKind) else {
            context.reportKind(of: value, expected: expectation)
            return nil
        }
        return readContent(value, &context)
    }

    /// Returns the coder of a value that is made from this one.
    ///
    /// - Parameters:
    ///   - read: Returns the made value; `nil` after reporting a diagnostic.
    ///   - write: Returns the original value; `nil` if this syntax has no form of it.
    /// - Returns: The coder.
    func map<Result: Sendable>(
        read: @escaping @Sendable (Value, SourceValue, inout ReadingContext) -> Result?,
        write: @escaping @Sendable (Result) -> Value?
    ) -> ValueCoder<Result> {
        ValueCoder<Result>(
            schema, kinds, expectation: expectation,
            read: { source, context in
                readContent(source, &context).flatMap { read($0, source, &context) }
            },
            write: { value in write(value).flatMap(self.write) })
    }

    /// Returns the coder of a value that has several syntaxes of different kinds; the first one that can
    /// write a value does.
    static func either(_ coders: [ValueCoder], expectation: String? = nil) -> ValueCoder {
        ValueCoder(
            .either(coders.map(\.schema)), coders.reduce(into: []) { $0.formUnion($1.kinds) },
            expectation: expectation
                ?? coders.map(\.expectation).joined(separator: ", or "),
            read: { source, context in
                coders.first { $0.kinds.contains(source.coderKind) }?.readContent(source, &context)
            },
            write: { value in coders.lazy.compactMap { $0.write(value) }.first })
    }
}

/// A kind of value in a file, by which the syntax of a value is selected.
enum SourceKind: Sendable, Hashable {
    case null
    case scalar
    case sequence
    case mapping
}

extension SourceValue {
    fileprivate var coderKind: SourceKind {
        switch content {
        case .scalar(.null): .null
        case .scalar: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }
}
