// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension ValueCoder where Value == Template {
    /// A text with placeholders; numbers and Boolean values are texts as written.
    static var template: ValueCoder {
        ValueCoder(
            .scalar, [.scalar],
            expectation: "a text, which may contain placeholders such as `{parent.id}`",
            read: { source, context in
                do throws(TemplateError) {
                    return try Template(parsing: source.scalarText ?? "")
                } catch {
                    context.report(
                        .invalidValue, at: source.location, error.problem, advice: error.advice)
                    return nil
                }
            }, write: { .text($0.description) })
    }
}

extension ValueCoder where Value == TemplateValue {
    /// A JSON value whose texts may contain placeholders.
    static var templateValue: ValueCoder {
        ValueCoder(
            .any, [.null, .scalar, .sequence, .mapping], expectation: "a value", read: read,
            write: write)
    }

    @Sendable private static func read(
        _ source: SourceValue, _ context: inout ReadingContext
    ) -> TemplateValue? {
        switch source.content {
        case .scalar(.null): return .null
        case .scalar(.boolean(let value)): return .boolean(value)
        case .scalar(.number(let text)): return .number(text)
        case .scalar(.text):
            return ValueCoder<Template>.template.read(source, &context).map { .text($0) }
        case .sequence(let elements):
            return .array(
                elements.enumerated().compactMap { index, value in
                    context.descend(into: value, at: index) { read(value, &$0) }
                })
        case .mapping(let members):
            return .object(
                members.compactMap { member in
                    context.descend(into: member) { context in
                        read(member.value, &context).map { TemplateValue.Member(member.key, $0) }
                    }
                })
        }
    }

    @Sendable private static func write(_ value: TemplateValue) -> SourceValue? {
        switch value {
        case .null: SourceValue(.scalar(.null))
        case .boolean(let value): SourceValue(.scalar(.boolean(value)))
        case .number(let text): SourceValue(.scalar(.number(text)))
        case .text(let template): .text(template.description)
        case .array(let elements): SourceValue(.sequence(elements.compactMap(write)))
        case .object(let members):
            SourceValue(
                .mapping(
                    members.compactMap { member in
                        write(member.value).map { .init(member.key, $0) }
                    }))
        }
    }
}

/// A malformed template.
struct TemplateError: Error {
    let problem: String
    let advice: String
}

extension Template {
    /// Creates a template by parsing text.
    init(parsing text: String) throws(TemplateError) {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.first {
            rest = rest.dropFirst()
            if (character == "{" || character == "}"), rest.first == character {
                literal.append(character)
                rest = rest.dropFirst()
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw TemplateError(
                        problem: "a placeholder has no end",
                        advice: "write `}` after it, or `{{` for a brace")
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(try Self.placeholder(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if character == "}" {
                throw TemplateError(
                    problem: "a brace has no placeholder", advice: "write `}}` for a brace")
            } else {
                literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.init(parts: parts)
    }

    private static func placeholder(_ text: String) throws(TemplateError) -> Part {
        switch text {
        case "cursor.start": return .cursorStart
        case "cursor.end": return .cursorEnd
        default: break
        }
        let components = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let advice = "write a parent and a path in its record, such as `{parent.id}`"
        guard components.count == 2, DefinitionName.isValid(String(components[0])),
            !components[1].isEmpty
        else { throw TemplateError(problem: "`{\(text)}` is not a placeholder", advice: advice) }
        if components[0] == "cursor" {
            throw TemplateError(
                problem: "`{\(text)}` is not a placeholder of the cursor",
                advice: "write `{cursor.start}` or `{cursor.end}`")
        }
        do throws(DocumentError) {
            return .parent(
                String(components[0]), path: try DocumentPath(parsing: components[1]))
        } catch {
            throw TemplateError(problem: "`\(components[1])` is not a path", advice: advice)
        }
    }
}
