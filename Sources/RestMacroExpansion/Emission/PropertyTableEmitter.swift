// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `properties`, the table of the properties that a draft assigns by index.
///
/// A subclass overrides the table of its superclass. Its draft lists the properties of all
/// superclasses with key paths rooted in the subclass, such as `\Dog.name` for a property of
/// `Animal`.
struct PropertyTableEmitter {
    private let declaration: MappedDeclaration

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
    }

    var members: [DeclSyntax] {
        let name = declaration.name
        let list =
            declaration.hasInheritableDraft
            ? "Draft.properties(of: \(name).self)" : "[\(entries(of: name))]"
        let table = "RestMapping.PropertyTable(\(name).self, \(list))"
        // Generic types cannot have static storage.
        if declaration.isGeneric { return [computed(table)] }
        if declaration.hasInheritableDraft {
            return [
                "\(raw: declaration.isolation)private static let mappedProperties = \(raw: table)",
                computed("mappedProperties"),
            ]
        }
        let access = declaration.isolation + declaration.access.prefix
        return ["\(raw: access)static let properties: RestMapping.PropertyTable = \(raw: table)"]
    }

    /// The function of an inheritable draft that returns its properties after inherited ones.
    var list: String {
        let inherited = declaration.superclass.map {
            "\($0).Draft.properties(of: MappedSubject.self) + "
        }
        let list = "\(inherited ?? "")[\(entries(of: "MappedSubject"))]"
        return """
            \(declaration.access.prefix)static func properties<MappedSubject: \(declaration.name)>\
            (of subject: MappedSubject.Type) -> [RestMapping.Property] {
            \(list.indented)
            }
            """
    }

    private func computed(_ table: String) -> DeclSyntax {
        let access = declaration.access
        let introducer =
            switch declaration.construction {
            case .superclass: "\(access.overridable)class var"
            case .subclass: "\(access.overridable)override class var"
            default: "\(access.prefix)static var"
            }
        return """
            \(raw: declaration.isolation)\(raw: introducer) properties: RestMapping.PropertyTable {
            \(raw: table.indented)
            }
            """
    }

    private func entries(of root: String) -> String {
        declaration.properties.map { "\n    \(entry($0, of: root))" }.joined(separator: ",")
    }

    private func entry(_ property: MappedProperty, of root: String) -> String {
        let isPlain =
            property.sourceKey == nil && property.policy == nil && property.transform == nil
        var arguments = [
            (isPlain && property.isRequired ? "required: " : "") + "\"\(property.storage.name)\"",
            path(of: property, in: root),
            "\(property.type.operandText).self",
        ]
        if let sourceKey = property.sourceKey { arguments.append("source: \(sourceKey)") }
        if !isPlain, property.isRequired { arguments.append("isRequired: true") }
        if let policy = property.policy { arguments.append("policy: \(policy)") }
        if let transform = property.transform { arguments.append("transform: \(transform)") }
        return "RestMapping.Property(\(arguments.joined(separator: ", ")))"
    }

    /// Returns the key path of a property, which is not Sendable by itself if the structure is isolated.
    ///
    /// The macro does not see the default isolation of a module. A class that is isolated is refused.
    private func path(of property: MappedProperty, in root: String) -> String {
        let path = "\\\(root).\(property.storage.identifier)"
        return declaration.isClass
            ? path : "unsafe RestMapping.Property.path(toStored: \(path))"
    }
}

extension String {
    /// The text with each line indented by four spaces.
    var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    }
}
#endif
