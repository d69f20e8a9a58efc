// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension ValueCoder where Value == String {
    /// A text; numbers and Boolean values are texts as written.
    static var text: ValueCoder {
        ValueCoder(
            .scalar, [.scalar], expectation: "a text",
            read: { source, _ in source.scalarText }, write: { .text($0) })
    }

    /// A name with the characters of a placeholder or table.
    static var name: ValueCoder {
        text.map(
            read: { name, source, context in
                if name.isEmpty || name.utf8.count > 63 {
                    context.report(
                        .invalidValue, at: source.location, "a name has 1 to 63 bytes",
                        advice: "write a shorter or longer name")
                    return nil
                }
                return name
            }, write: { $0 })
    }
}

extension ValueCoder where Value == Bool {
    /// A Boolean value.
    static var boolean: ValueCoder {
        ValueCoder(
            .boolean, [.scalar], expectation: "`true` or `false`",
            read: { source, context in
                if case .scalar(.boolean(let value)) = source.content { return value }
                context.reportKind(of: source, expected: "`true` or `false`")
                return nil
            }, write: { SourceValue(.scalar(.boolean($0))) })
    }
}

extension ValueCoder where Value == Int {
    /// Returns the coder of an integer.
    static func integer(from minimum: Int) -> ValueCoder {
        ValueCoder(
            .integer(minimum: minimum), [.scalar], expectation: "an integer from \(minimum)",
            read: { source, context in
                guard case .scalar(.number(let text)) = source.content, let value = Int(text) else {
                    context.reportKind(of: source, expected: "an integer from \(minimum)")
                    return nil
                }
                guard value >= minimum else {
                    context.report(
                        .invalidValue, at: source.location, "\(value) is less than \(minimum)",
                        advice: "write an integer from \(minimum)")
                    return nil
                }
                return value
            }, write: { .integer($0) })
    }
}

extension ValueCoder where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the values of an enumeration, by its raw value.
    static var choice: ValueCoder {
        let names = Value.allCases.map(\.rawValue)
        return ValueCoder(
            .choice(names), [.scalar], expectation: Spelling.alternatives(names),
            read: { source, context in
                let text = source.scalarText ?? ""
                if let value = Value(rawValue: text) { return value }
                context.report(
                    .invalidValue, at: source.location, "`\(text)` is not a known value",
                    advice: Spelling.advice(for: text, among: names))
                return nil
            }, write: { .text($0.rawValue) })
    }
}

extension ValueCoder where Value == ScalarValue {
    /// A scalar other than null.
    static var scalar: ValueCoder {
        ValueCoder(
            .scalar, [.scalar], expectation: "a text, a number or `true` or `false`",
            read: { source, _ in
                if case .scalar(let value) = source.content { value } else { nil }
            }, write: { SourceValue(.scalar($0)) })
    }

    /// A scalar or null.
    static var nullableScalar: ValueCoder {
        ValueCoder(
            .either([.scalar, .null]), [.scalar, .null],
            expectation: "a text, a number, `true`, `false` or `null`",
            read: { source, _ in
                if case .scalar(let value) = source.content { value } else { nil }
            }, write: { SourceValue(.scalar($0)) })
    }
}

extension ValueCoder where Value == DocumentPath {
    /// A path in a document; `$` is the root.
    static var path: ValueCoder {
        ValueCoder(
            .scalar, [.scalar], expectation: "a path such as `meta.next`",
            read: { source, context in
                let text = source.scalarText ?? ""
                if text == "$" { return .root }
                do throws(DocumentError) {
                    return try DocumentPath(
                        parsing: text.hasPrefix("$.") ? String(text.dropFirst(2)) : text)
                } catch {
                    context.report(
                        .invalidValue, at: source.location, "`\(text)` is not a path",
                        advice:
                            "write keys with dots between them and positions in brackets, such as "
                            + "`data.items[0].id`")
                    return nil
                }
            }, write: { .text($0.components.isEmpty ? "$" : $0.description) })
    }
}

extension ValueCoder where Value == Secret {
    /// A secret: the name of a variable of the environment, or a file.
    static var secret: ValueCoder {
        either([variable, secretFile], expectation: "`$NAME` or `{file: PATH}`")
    }

    private static var variable: ValueCoder {
        ValueCoder(
            .text(pattern: "^\\$[A-Za-z_][A-Za-z0-9_]*$"), [.scalar], expectation: "`$NAME`",
            read: { source, context in
                guard let text = source.scalarText, let name = variableName(text) else {
                    // The value may be the secret itself, so that the message does not repeat it.
                    context.report(
                        .exposedSecret, at: source.location,
                        "a secret is written in the definition",
                        advice: "put it into a variable of the environment and write `$NAME`, or "
                            + "into a file and write `{file: PATH}`; replace the secret if others "
                            + "can read this file")
                    return nil
                }
                return .environment(name)
            },
            write: { secret in
                if case .environment(let name) = secret { .text("$" + name) } else { nil }
            })
    }

    private static var secretFile: ValueCoder {
        ValueCoder<String>.object(
            "secret", "",
            [.required("file", \.self, .text, "The path of the file with the secret.")]
        ).map(
            read: { path, _, _ in Secret.file(path) },
            write: { if case .file(let path) = $0 { path } else { nil } })
    }

    /// Returns the name of the variable in `$NAME`; `nil` for any other text.
    static func variableName(_ text: String) -> String? {
        guard text.first == "$" else { return nil }
        let name = text.dropFirst()
        let isName = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F
                || (0x61...0x7A).contains($0)
        }
        return !name.isEmpty && isName && !(0x30...0x39).contains(name.utf8.first ?? 0x30)
            ? String(name) : nil
    }
}

extension ValueCoder where Value == Credential {
    /// A secret, or a text that is no secret.
    static var credential: ValueCoder {
        either([plain, credentialFile], expectation: "a text, `$NAME` or `{file: PATH}`")
    }

    private static var plain: ValueCoder {
        ValueCoder<String>.text.map(
            read: { text, _, _ in
                ValueCoder<Secret>.variableName(text).map { .secret(.environment($0)) }
                    ?? .text(text)
            },
            write: { credential in
                switch credential {
                case .text(let text): text
                case .secret(.environment(let name)): "$" + name
                case .secret(.file): nil
                }
            })
    }

    private static var credentialFile: ValueCoder {
        ValueCoder<Secret>.secret.map(
            read: { secret, _, _ in Credential.secret(secret) },
            write: { if case .secret(let secret) = $0 { secret } else { nil } })
    }
}
