// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Definition {
    /// Returns the definition as a YAML file with comments.
    ///
    /// Reading the file results in an equal definition.
    ///
    /// - Parameter comments: The comments by the paths of the settings that they describe, such as
    ///   `entities.Film.identity`; the comment of the root is at the top of the file.
    /// - Returns: The text of the file.
    public func yaml(comments: [DocumentPath: String] = [:]) -> String {
        var writer = YAMLWriter(comments: comments)
        return writer.text(of: DefinitionKeys.definition.write(self) ?? SourceValue(.mapping([])))
    }

    /// Returns the definition as a JSON document.
    ///
    /// Reading the document results in an equal definition.
    public func json() -> Document {
        (DefinitionKeys.definition.write(self) ?? SourceValue(.mapping([]))).document
    }
}

extension SourceValue {
    /// The value as a JSON document.
    public var document: Document {
        var builder = DocumentBuilder()
        add(to: &builder)
        return builder.finish()
    }

    private func add(to builder: inout DocumentBuilder) {
        switch content {
        case .scalar(.null): builder.null()
        case .scalar(.boolean(let value)): builder.bool(value)
        case .scalar(.text(let text)): builder.string(text)
        case .scalar(.number(let text)):
            // A number that JSON cannot express, such as .inf of YAML, is a text.
            do throws(DocumentError) {
                try builder.number(text: text)
            } catch {
                builder.string(text)
            }
        case .sequence(let elements):
            builder.beginArray()
            for element in elements { element.add(to: &builder) }
            builder.end()
        case .mapping(let members):
            builder.beginObject()
            for member in members {
                builder.key(member.key)
                member.value.add(to: &builder)
            }
            builder.end()
        }
    }
}
