// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// An attribute that says something about a property to the macro on its type.
enum PropertyMarker: String {
    case mappedKey = "MappedKey"
    case mappedTransform = "MappedTransform"
    case mappedPolicy = "MappedPolicy"
    case mappedIgnored = "MappedIgnored"
    case identity = "Identity"
    case inverse = "Inverse"

    /// Whether both on one property contradict each other.
    func excludes(_ other: PropertyMarker) -> Bool {
        switch (self, other) {
        case (.mappedIgnored, _), (_, .mappedIgnored): true
        case (.inverse, .identity), (.identity, .inverse): true
        default: self == other
        }
    }
}

/// How a relationship names the one that leads back.
enum InverseArgument {
    /// A key path with its root, as written.
    case path(KeyPathExprSyntax)
    /// The name of a property of the type the relationship leads to.
    case property(String)
}

/// The markers on one property, checked against each other.
struct PropertyMarkers {
    /// The argument of `@MappedKey` as written, quotes included.
    let sourceKey: String?
    /// The argument of `@MappedTransform` as written.
    let transform: String?
    /// The argument of `@MappedPolicy` as written.
    let policy: String?
    /// The argument of `@Inverse`.
    let inverse: InverseArgument?
    private let found: [(marker: PropertyMarker, syntax: AttributeSyntax)]

    init(
        of property: StoredProperty, among known: [PropertyMarker],
        _ diagnostics: inout [Diagnostic]
    ) {
        found = property.attributes.compactMap { element in
            guard let syntax = element.as(AttributeSyntax.self),
                let marker = PropertyMarker(rawValue: syntax.baseName), known.contains(marker)
            else { return nil }
            return (marker, syntax)
        }
        for (index, later) in found.enumerated() {
            let conflict = found[..<index].first { $0.marker.excludes(later.marker) }
            guard let conflict else { continue }
            diagnostics.append(
                Diagnostic(
                    node: later.syntax,
                    message: MacroDiagnostic.conflictingAttributes(
                        first: conflict.marker.rawValue, second: later.marker.rawValue),
                    fixIts: [property.variable.fixItRemoving(later.syntax)]))
        }
        sourceKey = found.first { $0.marker == .mappedKey }
            .flatMap { $0.syntax.sourceKey(diagnostics: &diagnostics) }
        transform = found.first { $0.marker == .mappedTransform }?.syntax.argumentText
        policy = found.first { $0.marker == .mappedPolicy }?.syntax.argumentText
        inverse = found.first { $0.marker == .inverse }
            .flatMap { $0.syntax.inverse(diagnostics: &diagnostics) }
    }

    func has(_ marker: PropertyMarker) -> Bool { syntax(of: marker) != nil }

    /// The attribute itself, for a note on it.
    func syntax(of marker: PropertyMarker) -> AttributeSyntax? {
        found.first { $0.marker == marker }?.syntax
    }
}

extension AttributeSyntax {
    /// The first argument as written.
    fileprivate var argumentText: String? {
        labeledArguments.first?.expression.trimmedDescription
    }

    /// The argument of `@MappedKey` as written.
    fileprivate func sourceKey(diagnostics: inout [Diagnostic]) -> String? {
        let argument = labeledArguments.first?.expression
        guard let literal = argument?.as(StringLiteralExprSyntax.self),
            let text = literal.plainText
        else {
            diagnostics.append(
                Diagnostic(
                    node: argument.map(Syntax.init) ?? Syntax(self),
                    message: MacroDiagnostic.sourceKeyNotLiteral))
            return nil
        }
        if text.isEmpty {
            diagnostics.append(
                Diagnostic(node: literal, message: MacroDiagnostic.emptySourceKey))
        }
        return literal.trimmedDescription
    }

    /// The argument of `@Inverse`: a key path that names its root, or a property's name.
    fileprivate func inverse(diagnostics: inout [Diagnostic]) -> InverseArgument? {
        let argument = labeledArguments.first?.expression
        if let path = argument?.as(KeyPathExprSyntax.self), path.root != nil { return .path(path) }
        if let name = argument?.as(StringLiteralExprSyntax.self)?.plainText, !name.isEmpty {
            return .property(name)
        }
        diagnostics.append(
            Diagnostic(
                node: argument.map(Syntax.init) ?? Syntax(self),
                message: MacroDiagnostic.inverseNotKeyPath))
        return nil
    }
}

// MARK: - Checks that need no marker's argument

extension StoredProperty {
    /// An ignored property must have a value without the document.
    func checkIgnored(diagnostics: inout [Diagnostic]) {
        guard initialValue == nil, !isOptional else { return }
        diagnostics.append(diagnose(.ignoredWithoutValue(property: name)))
    }

    /// A constant with a value can never be given another.
    func checkAssignable(diagnostics: inout [Diagnostic]) {
        guard isConstant, initialValue != nil else { return }
        let ignored = AttributeSyntax(
            leadingTrivia: variable.leadingTrivia,
            attributeName: IdentifierTypeSyntax(name: "MappedIgnored"), trailingTrivia: .space)
        var unmapped = variable
        unmapped.leadingTrivia = []
        unmapped.attributes.insert(.attribute(ignored), at: unmapped.attributes.startIndex)
        diagnostics.append(
            diagnose(
                .initializedConstant(property: name),
                fixIts: [
                    makeVariable,
                    .replace(
                        message: MacroFixIt.ignoreProperty, oldNode: variable, newNode: unmapped),
                ]))
    }

    /// Writes `var` for `let`.
    var makeVariable: FixIt {
        var repaired = variable
        repaired.bindingSpecifier.tokenKind = .keyword(.var)
        return .replace(message: MacroFixIt.makeVariable, oldNode: variable, newNode: repaired)
    }
}
#endif
