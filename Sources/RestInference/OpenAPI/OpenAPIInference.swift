// SPDX-License-Identifier: Apache-2.0

public import RestDefinition
import RestDocument

/// An inference of a definition from an OpenAPI document of version 3.0 or 3.1.
///
/// Lists that GET requests return are resources, and the schemas of their elements are entities.
public enum OpenAPIInference {
    /// Returns the definition that a document describes.
    ///
    /// - Parameter document: The document, from JSON or YAML.
    /// - Returns: The definition with the reasons; `summary` also has the paths that are left out.
    /// - Throws: `DefinitionError` if the value is not an OpenAPI document of a supported version.
    public static func result(of document: SourceValue) throws(DefinitionError)
        -> InferredDefinition
    {
        guard
            let version = document["openapi"]?.text ?? document["openapi"].map({ "\($0.content)" })
        else {
            throw error(
                document,
                document["swagger"] != nil
                    ? "the document has Swagger 2" : "the document is not OpenAPI",
                document["swagger"] != nil
                    ? "convert it to OpenAPI 3.0 or 3.1" : "write `openapi: 3.1.0`")
        }
        guard document["openapi"]?.text?.hasPrefix("3.") == true else {
            throw error(
                document, "the version `\(version)` is not supported",
                "write a document of 3.0 or 3.1")
        }
        var builder = OpenAPIBuilder(document)
        return builder.result()
    }

    /// Returns a Boolean value that indicates whether a value looks like an OpenAPI document.
    public static func isDocument(_ value: SourceValue) -> Bool {
        value["openapi"] != nil || value["swagger"] != nil
    }

    private static func error(
        _ document: SourceValue, _ problem: String, _ advice: String
    ) -> DefinitionError {
        DefinitionError([
            DefinitionDiagnostic(
                .unsupportedVersion, at: document.location, problem: problem, advice: advice)
        ])
    }
}
