// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A class annotated `@Entity`, read and checked: all that emission needs to know.
struct EntityDeclaration {
    let name: String
    /// The argument of `@Entity(name:)` as written.
    let entityName: String?
    let access: AccessLevel
    /// The managed properties; a property's place here is its index.
    let properties: [ManagedProperty]
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]

    /// The index of the managed property that a member declares, if it declares one.
    func index(of variable: VariableDeclSyntax) -> Int? {
        let identifiers = variable.bindings.compactMap {
            $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        }
        guard identifiers.count == 1 else { return nil }
        return properties.firstIndex { $0.identifier == identifiers[0] }
    }
}

/// A property that the object's context keeps.
struct ManagedProperty {
    let identifier: String
    let name: String
    let isIdentity: Bool
    /// The argument of `@MappedKey` as written, quotes included; or what the style of the keys
    /// makes of the name.
    let sourceKey: String?
    /// The key path of the relationship that leads back.
    let inverse: String?
    /// The value of a new object as written.
    let defaultValue: String?
}

// MARK: - Reading

extension EntityDeclaration {
    /// The attributes that configure a property.
    static let markers: [PropertyMarker] = [.mappedKey, .mappedIgnored, .identity, .inverse]

    /// Reads and checks a declaration; nothing if one of `diagnostics` is in the way.
    static func read(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax,
        in lexicalContext: [Syntax], diagnostics: inout [Diagnostic]
    ) -> EntityDeclaration? {
        guard let type = declaration.as(ClassDeclSyntax.self) else {
            diagnostics.append(
                declaration.wrongKind(macro: "Entity", allowed: "subclasses of 'ManagedObject'"))
            return nil
        }
        type.checkEntity(diagnostics: &diagnostics)
        let style = attribute.keyStyle(diagnostics: &diagnostics)
        let storage = StoredProperty.all(
            in: type.memberBlock.members, markers: markers, diagnostics: &diagnostics)

        var properties: [ManagedProperty] = []
        for property in storage {
            let markers = PropertyMarkers(of: property, among: markers, &diagnostics)
            if markers.has(.mappedIgnored) {
                property.checkIgnored(diagnostics: &diagnostics)
                continue
            }
            property.checkManaged(markers, diagnostics: &diagnostics)
            property.checkOwnInverse(markers, of: type.name.text, diagnostics: &diagnostics)
            properties.append(
                ManagedProperty(
                    identifier: property.identifier, name: property.name,
                    isIdentity: markers.has(.identity),
                    sourceKey: markers.sourceKey ?? style.literal(for: property.name),
                    inverse: property.inversePath(markers),
                    defaultValue: property.managedDefault))
        }
        guard diagnostics.isEmpty else { return nil }
        return EntityDeclaration(
            name: type.name.text,
            entityName: attribute.labeledArguments.first { $0.label?.text == "name" }?
                .expression.trimmedDescription,
            access: AccessLevel(of: type.modifiers, in: lexicalContext),
            properties: properties,
            availability: type.attributes.named("available"))
    }
}

extension ClassDeclSyntax {
    fileprivate func checkEntity(diagnostics: inout [Diagnostic]) {
        if !modifiers.contains(.final) { diagnostics.append(notFinal(macro: "Entity")) }
        if let generics = genericParameterClause {
            diagnostics.append(
                Diagnostic(node: generics, message: MacroDiagnostic.genericEntity(name.text)))
        }
        if inheritanceClause?.inheritedTypes.first?.type.baseName != "ManagedObject" {
            diagnostics.append(notManaged)
        }
    }

    /// Says that the superclass is missing, and offers to add it if there is no other.
    private var notManaged: Diagnostic {
        let superclass = InheritedTypeSyntax(
            type: IdentifierTypeSyntax(name: "ManagedObject"))
        var repaired = self
        if var clause = inheritanceClause {
            // What is there may be protocols, which a superclass goes before.
            var first = superclass
            first.trailingComma = .commaToken(trailingTrivia: .space)
            clause.inheritedTypes.insert(first, at: clause.inheritedTypes.startIndex)
            repaired.inheritanceClause = clause
        } else {
            repaired.name.trailingTrivia = []
            repaired.inheritanceClause = InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space), inheritedTypes: [superclass],
                trailingTrivia: .space)
        }
        return Diagnostic(
            node: name, message: MacroDiagnostic.notManaged(name.text),
            fixIts: [.replace(message: MacroFixIt.inherit, oldNode: self, newNode: repaired)])
    }
}
#endif
