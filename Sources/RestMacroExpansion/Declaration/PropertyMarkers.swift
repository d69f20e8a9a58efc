// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// An attribute that configures a property for the macro on its type.
enum PropertyMarker: String {
    case mappedKey = "MappedKey"
    case mappedTransform = "MappedTransform"
    case mappedPolicy = "MappedPolicy"
    case mappedIgnored = "MappedIgnored"
    case identity = "Identity"
    case inverse = "Inverse"
    case deleteRule = "DeleteRule"
    case indexed = "Indexed"
    case maximumLength = "MaximumLength"
    case reference = "Reference"
    case connected = "Connected"
    case renamed = "Renamed"
    case searchable = "Searchable"
    case mappedAssignment = "MappedAssignment"

    /// Returns a Boolean value that indicates whether the markers cannot be combined on one property.
    func excludes(_ other: PropertyMarker) -> Bool {
        switch (self, other) {
        case (.mappedIgnored, _), (_, .mappedIgnored): true
        case (.connected, .mappedKey), (.mappedKey, .connected): true
        case (.connected, .reference), (.reference, .connected): true
        default:
            self == other || (isOfAttributes && other.isOfRelationships)
                || (isOfRelationships && other.isOfAttributes)
        }
    }

    /// A Boolean value that indicates whether only an attribute can have the marker.
    var isOfAttributes: Bool {
        [.identity, .indexed, .maximumLength, .searchable, .mappedTransform, .mappedPolicy]
            .contains(self)
    }

    /// A Boolean value that indicates whether only a relationship can have the marker.
    var isOfRelationships: Bool {
        [.inverse, .deleteRule, .reference, .connected, .mappedAssignment].contains(self)
    }
}

/// A property of a relationship's destination as written.
struct DestinationProperty {
    let name: String
    /// The root type of a key path; nil for a name.
    let root: String?
    let syntax: ExprSyntax
}

/// The validated markers of one property.
struct PropertyMarkers {
    /// The argument of `@MappedKey` as written, including quotes.
    let sourceKey: String?
    /// The argument of `@MappedTransform` as written.
    let transform: String?
    /// The argument of `@MappedPolicy` as written.
    let policy: String?
    /// The argument of `@Inverse`.
    let inverse: DestinationProperty?
    /// The argument of `@DeleteRule` as written.
    let deleteRule: String?
    /// The argument of `@MappedAssignment` as written.
    let assignment: String?
    /// The arguments of `@Identity` as written.
    let identity: String?
    /// The argument of `@MaximumLength` as written.
    let maximumLength: String?
    /// The arguments of `@Reference` or `@Connected`, without the key; a key path is replaced by its name.
    let reference: String?
    /// The attribute of the destination in `@Reference` or `@Connected`.
    let referenceAttribute: DestinationProperty?
    /// The arguments of `@Renamed` as written.
    let formerNames: [String]
    private let markers: [(marker: PropertyMarker, syntax: AttributeSyntax)]

    init(
        of property: StoredProperty, among known: [PropertyMarker],
        _ diagnostics: inout [Diagnostic]
    ) {
        markers = property.attributes.compactMap { element in
            guard let syntax = element.as(AttributeSyntax.self),
                let marker = PropertyMarker(rawValue: syntax.baseName), known.contains(marker)
            else { return nil }
            return (marker, syntax)
        }
        for (index, later) in markers.enumerated() {
            let conflict = markers[..<index].first { $0.marker.excludes(later.marker) }
            guard let conflict else { continue }
            diagnostics.append(
                Diagnostic(
                    node: later.syntax,
                    message: MacroDiagnostic.conflictingAttributes(
                        first: conflict.marker.rawValue, second: later.marker.rawValue),
                    fixIts: [property.variable.fixItRemoving(later.syntax)]))
        }
        sourceKey = markers.first { [.mappedKey, .connected].contains($0.marker) }
            .flatMap { $0.syntax.sourceKey(diagnostics: &diagnostics) }
        transform = markers.first { $0.marker == .mappedTransform }?.syntax.argumentText
        policy = markers.first { $0.marker == .mappedPolicy }?.syntax.argumentText
        inverse = markers.first { $0.marker == .inverse }
            .flatMap { $0.syntax.inverse(diagnostics: &diagnostics) }
        deleteRule = markers.first { $0.marker == .deleteRule }?.syntax.argumentText
        assignment = markers.first { $0.marker == .mappedAssignment }?.syntax.argumentText
        identity = markers.first { $0.marker == .identity }?.syntax.labeledText
        maximumLength = markers.first { $0.marker == .maximumLength }?.syntax.argumentText
        let referenceSyntax = markers.first { [.reference, .connected].contains($0.marker) }?.syntax
        referenceAttribute = referenceSyntax?.labeledArguments.first { $0.label?.text == "by" }
            .flatMap { DestinationProperty(path: $0.expression) }
        reference = referenceSyntax?.labeledText(naming: referenceAttribute)
        formerNames =
            markers.first { $0.marker == .renamed }?.syntax.labeledArguments
            .map(\.expression.trimmedDescription) ?? []
    }

    func has(_ marker: PropertyMarker) -> Bool { syntax(of: marker) != nil }

    /// Returns a Boolean value that indicates whether a marker satisfies a condition.
    func contains(where condition: (PropertyMarker) -> Bool) -> Bool {
        markers.contains { condition($0.marker) }
    }

    /// Returns the attribute of a marker, for a diagnostic.
    func syntax(of marker: PropertyMarker) -> AttributeSyntax? {
        markers.first { $0.marker == marker }?.syntax
    }
}

extension AttributeSyntax {
    /// The first argument as written.
    fileprivate var argumentText: String? {
        labeledArguments.first?.expression.trimmedDescription
    }

    /// The arguments with a label as written.
    fileprivate var labeledText: String { labeledText(naming: nil) }

    /// Returns the arguments with a label, with the name of a property in place of its key path.
    fileprivate func labeledText(naming property: DestinationProperty?) -> String {
        labeledArguments.compactMap { argument in
            guard let label = argument.label?.text else { return nil }
            if let property, argument.expression.id == property.syntax.id {
                return "\(label): \"\(property.name)\""
            }
            return "\(label): \(argument.expression.trimmedDescription)"
        }.joined(separator: ", ")
    }

    /// Returns the argument of `@MappedKey` as written.
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
            // An empty source is the representation itself, which is no list of identities.
            if baseName == PropertyMarker.connected.rawValue {
                diagnostics.append(
                    Diagnostic(node: literal, message: MacroDiagnostic.emptySourceKey))
            }
        } else {
            // In a raw literal a backslash stands for itself.
            let isRaw = literal.openingPounds != nil
            var path = SourceKeyText(
                isRaw ? text : text.replacing("\\\\", with: "\\").replacing("\\\"", with: "\""))
            if let expected = path.expectation() {
                diagnostics.append(
                    Diagnostic(
                        node: literal, message: MacroDiagnostic.malformedSourceKey(expected)))
            }
        }
        return literal.trimmedDescription
    }

    /// Returns the argument of `@Inverse`.
    fileprivate func inverse(diagnostics: inout [Diagnostic]) -> DestinationProperty? {
        let argument = labeledArguments.first?.expression
        if let property = argument.flatMap(DestinationProperty.init) { return property }
        if let literal = argument?.as(StringLiteralExprSyntax.self), let name = literal.plainText,
            name.isIdentifier
        {
            return DestinationProperty(name: name, root: nil, syntax: ExprSyntax(literal))
        }
        diagnostics.append(
            Diagnostic(
                node: argument.map(Syntax.init) ?? Syntax(self),
                message: MacroDiagnostic.inverseNotKeyPath))
        return nil
    }
}

extension DestinationProperty {
    /// Creates the property of a literal key path with a root type; returns nil for other expressions.
    fileprivate init?(path expression: ExprSyntax) {
        guard let path = expression.as(KeyPathExprSyntax.self), let root = path.root,
            let property = path.components.last?.component.as(KeyPathPropertyComponentSyntax.self)
        else { return nil }
        name = property.declName.baseName.text.withoutBackticks
        // The parser takes the names of enclosing types for components.
        self.root =
            ([root.trimmedDescription] + path.components.dropLast().map(\.trimmedDescription))
            .joined()
        syntax = expression
    }
}

// MARK: - Checks independent of arguments

extension StoredProperty {
    /// Diagnoses an ignored property that would have no value.
    func checkIgnored(diagnostics: inout [Diagnostic]) {
        guard initialValue == nil, !isOptional else { return }
        diagnostics.append(diagnose(.ignoredWithoutValue(property: name)))
    }

    /// Diagnoses a constant with an initial value, which cannot be assigned.
    func checkAssignable(diagnostics: inout [Diagnostic]) {
        guard isConstant, initialValue != nil else { return }
        diagnostics.append(
            diagnose(
                .initializedConstant(property: name),
                fixIts: [
                    makeVariable, variable.fixItIgnoring,
                ]))
    }

    /// A fix-it that replaces `let` with `var`.
    var makeVariable: FixIt {
        var fixed = variable
        fixed.bindingSpecifier.tokenKind = .keyword(.var)
        return .replace(message: MacroFixIt.makeVariable, oldNode: variable, newNode: fixed)
    }
}

extension VariableDeclSyntax {
    /// A fix-it that adds `@MappedIgnored`.
    var fixItIgnoring: FixIt {
        let ignored = AttributeSyntax(
            leadingTrivia: leadingTrivia,
            attributeName: IdentifierTypeSyntax(name: "MappedIgnored"), trailingTrivia: .space)
        var unmapped = self
        unmapped.leadingTrivia = []
        unmapped.attributes.insert(.attribute(ignored), at: unmapped.attributes.startIndex)
        return .replace(message: MacroFixIt.ignoreProperty, oldNode: self, newNode: unmapped)
    }
}
#endif
