// SPDX-License-Identifier: Apache-2.0

/// The syntax of values of a definition, from which JSON Schema is generated.
indirect enum ValueSchema: Sendable {
    /// Any value.
    case any
    /// The value null.
    case null
    /// A Boolean value.
    case boolean
    /// An integer from a minimum.
    case integer(minimum: Int)
    /// A text that matches a regular expression.
    case text(pattern: String?)
    /// A text, a number or a Boolean value.
    case scalar
    /// One of some texts.
    case choice([String])
    /// A sequence with a minimum number of elements.
    case sequence(of: ValueSchema, minimum: Int)
    /// A mapping whose keys are names, which match a regular expression.
    case map(of: ValueSchema, names: String?)
    /// A mapping with declared keys.
    case object(ObjectSchema)
    /// A value of one of several syntaxes.
    case either([ValueSchema])
}

/// The syntax of a mapping with declared keys.
struct ObjectSchema: Sendable {
    /// A key of a mapping.
    struct Key: Sendable {
        let name: String
        /// A sentence about the key, for editors.
        let summary: String
        let value: ValueSchema
        let isRequired: Bool
        /// The value of an absent key; `nil` if its absence is no value.
        var preset: SourceValue?
    }

    /// A value of the key `type`, with the keys that only some types have.
    struct Case: Sendable {
        let type: String
        let summary: String
        let required: [String]
        let optional: [String]

        init(
            _ type: String, _ summary: String, required: [String] = [], optional: [String] = []
        ) {
            self.type = type
            self.summary = summary
            self.required = required
            self.optional = optional
        }

        func has(_ key: String) -> Bool { required.contains(key) || optional.contains(key) }
    }

    /// A key that has no effect without another one.
    struct Dependency: Sendable {
        let key: String
        let other: String

        init(_ key: String, needs other: String) {
            self.key = key
            self.other = other
        }
    }

    /// The name of the mapping, such as `resource`.
    let name: String
    var keys: [Key]
    /// The types, if the key `type` decides which keys the mapping has.
    ///
    /// Keys that no type names belong to all of them.
    var cases: [Case] = []
    /// The keys of which a mapping has exactly one.
    var alternatives: [String] = []
    /// Keys that have no effect without another one.
    var dependencies: [Dependency] = []

    /// Returns a Boolean value that indicates whether only mappings of some types have a key.
    func isSpecific(_ key: String) -> Bool { cases.contains { $0.has(key) } }

    /// The names of the keys that a mapping of a type has.
    func names(for type: Case?) -> [String] {
        keys.map(\.name).filter { type == nil || !isSpecific($0) || type?.has($0) == true }
    }
}
