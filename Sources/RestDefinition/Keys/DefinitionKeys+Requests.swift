// SPDX-License-Identifier: Apache-2.0

extension DefinitionKeys {
    /// Header fields by name.
    static let headers = ValueCoder<[Named<HeaderDefinition.Value>]>.names(
        headerValue, "the name of a header field", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        isName: isFieldName
    ).named(
        name: { $0.name }, { value, name in HeaderDefinition(name, value) }, { $0.value })

    private static let headerValue = ValueCoder<HeaderDefinition.Value>.either(
        [
            ValueCoder<Template>.template.map(
                read: { template, _, _ in
                    template.constantText.flatMap(ValueCoder<Secret>.variableName)
                        .map { .secret(.environment($0)) } ?? .text(template)
                },
                write: { value in
                    switch value {
                    case .text(let template): template
                    case .secret(.environment(let name)): Template(text: "$" + name)
                    case .secret(.file): nil
                    }
                }),
            ValueCoder<Secret>.secret.map(
                read: { secret, _, _ in .secret(secret) },
                write: { if case .secret(let secret) = $0 { secret } else { nil } }),
        ], expectation: "a text, `$NAME` or `{file: PATH}`")

    /// Returns a Boolean value that indicates whether a text is a token of RFC 9110 §5.6.2.
    @Sendable static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+.^_`|~-".utf8.contains(byte)
            }
    }

    /// Parameters by name; a list is a repeated parameter.
    static let parameters = ValueCoder<[Named<[Template]>]>.names(
        .oneOrMany(.template), "the name of a parameter", pattern: nil
    ).map(
        read: { parameters, _, _ in
            parameters.flatMap { parameter in
                parameter.value.map { ParameterDefinition(parameter.name, $0) }
            }
        },
        write: { parameters in
            var names: [String] = []
            var values: [String: [Template]] = [:]
            for parameter in parameters {
                if values[parameter.name] == nil { names.append(parameter.name) }
                values[parameter.name, default: []].append(parameter.value)
            }
            return names.map { Named($0, values[$0] ?? []) }
        })

    /// The body of a request.
    static let body = ValueCoder<BodyKeys>.object(
        "body", BodyKeys(),
        [
            .optional("json", \.json, .templateValue, "A JSON document."),
            .optional("form", \.form, parameters, "The fields of a form."),
        ], alternatives: ["json", "form"]
    ).map(
        read: { keys, _, _ in
            if let json = keys.json { return BodyDefinition.json(json) }
            return keys.form.map { .form($0) }
        },
        write: { body in
            switch body {
            case .json(let value): BodyKeys(json: value)
            case .form(let parameters): BodyKeys(form: parameters)
            }
        })

    struct BodyKeys: Sendable {
        var json: TemplateValue?
        var form: [ParameterDefinition]?
    }

    /// The format of responses.
    static let format = ValueCoder<ResponseFormat>.either([
        ValueCoder<ResponseFormat.Syntax>.choice.map(
            read: { syntax, _, _ in ResponseFormat(syntax) },
            write: { $0.isCompressed ? nil : $0.syntax }),
        .object(
            "format", .json,
            [
                .required("syntax", \.syntax, .choice, "The syntax of a body."),
                .optional(
                    "gzip", \.isCompressed, .boolean, default: false,
                    "Whether the body is a file that is compressed with gzip."),
            ]),
    ])
}
