// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A definition with the positions of its settings in the file.
public struct DefinitionFile: Sendable {
    /// The definition.
    public let definition: Definition
    /// The positions of settings by their paths, such as `resources.issues.cursor`.
    private let locations: [DocumentPath: SourceLocation]

    /// Reads and checks a definition.
    ///
    /// - Throws: ``DefinitionError`` with all diagnostics.
    public init(reading source: SourceValue) throws(DefinitionError) {
        var context = ReadingContext()
        let definition = DefinitionKeys.definition.read(source, &context)
        locations = context.locations
        guard let definition else { throw DefinitionError(context.diagnostics) }
        // Names that a diagnostic removed would be reported as undefined, so that only a file whose parts
        // were all read is checked as a whole.
        guard context.diagnostics.allSatisfy({ $0.code == .noEffect || $0.code == .unknownKey })
        else { throw DefinitionError(context.diagnostics) }
        let diagnostics = context.diagnostics + definition.diagnostics(locations)
        guard diagnostics.isEmpty else { throw DefinitionError(diagnostics) }
        self.definition = definition
    }

    /// Reads and checks a definition in JSON.
    ///
    /// - Throws: ``DefinitionError`` with all diagnostics.
    public init(parsingJSON bytes: [UInt8]) throws(DefinitionError) {
        try self.init(reading: SourceValue(parsingJSON: bytes))
    }

    /// A Boolean value that indicates whether the definition was read from text.
    var hasLocations: Bool { !locations.isEmpty }

    /// Returns the position of a setting that the file writes; `nil` for any other one.
    func exactLocation(of path: DocumentPath) -> SourceLocation? { locations[path] }

    /// Returns the value of a setting that the definition has, in the form in which it is written.
    func value(of keys: [String]) -> SourceValue? {
        keys.reduce(DefinitionKeys.definition.write(definition)) { $0?[$1] }
    }

    /// Returns the position of a setting; that of the innermost setting around it if it is not written.
    public func location(of path: DocumentPath) -> SourceLocation? {
        locations.innermost(around: path)
    }
}

extension Definition {
    /// Reads a definition that a program has written with ``json()``, without checking what it says.
    ///
    /// It was checked before it was stored. What a later version finds wrong with it does not make the file of its
    /// rows unreadable.
    ///
    /// - Throws: ``DefinitionError`` for text that is no definition.
    public init(parsingStoredJSON bytes: [UInt8]) throws(DefinitionError) {
        let source = try SourceValue(
            parsingJSON: bytes, describedAs: "the stored definition")
        var context = ReadingContext()
        guard let definition = DefinitionKeys.definition.read(source, &context) else {
            throw DefinitionError(context.diagnostics)
        }
        self = definition
    }

    /// Returns the diagnostics in the definition, in the order of its sections.
    public func diagnostics() -> [DefinitionDiagnostic] { diagnostics([:]) }

    /// Returns the diagnostics in the definition with their positions.
    func diagnostics(
        _ locations: [DocumentPath: SourceLocation]
    ) -> [DefinitionDiagnostic] {
        var checker = DefinitionChecker(self, locations)
        return checker.check()
    }
}

extension [DocumentPath: SourceLocation] {
    /// Returns the position of a setting, or of the innermost setting around it.
    func innermost(around path: DocumentPath) -> SourceLocation? {
        var path = path
        while true {
            if let location = self[path] { return location }
            if path.components.isEmpty { return nil }
            path.components.removeLast()
        }
    }
}
