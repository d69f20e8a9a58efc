// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A setting of a definition as a run follows it, and where it comes from.
public struct EffectiveSetting: Sendable, Hashable {
    /// The source of a setting.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        /// The file, at a position; `nil` if the definition was made in code.
        case file(SourceLocation?)
        /// The section `api`, at a position.
        case inherited(SourceLocation?)
        /// The default of the format.
        case preset
        /// The records that a run has read, because the file leaves it open.
        case inferred

        /// The origin for people, such as `12:5` or `default`.
        public var description: String {
            switch self {
            case .file(let location): location?.description ?? "definition"
            case .inherited(let location): location.map { "api, \($0)" } ?? "api"
            case .preset: "default"
            case .inferred: "inferred"
            }
        }
    }

    /// The path of the setting, such as `resources.issues.cursor.lookback`.
    public let path: DocumentPath
    /// The value as JSON, or as text without quotation marks; `nil` if nothing is set.
    public let value: String?
    /// The source of the value.
    public let origin: Origin

    /// Creates a setting.
    public init(_ path: DocumentPath, _ value: String?, from origin: Origin) {
        self.path = path
        self.value = value
        self.origin = origin
    }
}

extension DefinitionFile {
    /// Returns the settings of all sections in the order of the format.
    ///
    /// Secrets are named, as in the file, and never read.
    ///
    /// - Parameter completed: The definition with what was inferred from records; `nil` for that of the file.
    /// - Returns: The settings.
    public func effectiveSettings(completed: Definition? = nil) -> [EffectiveSetting] {
        var lister = SettingLister(self)
        lister.list(
            DefinitionKeys.api.schema, DefinitionKeys.api.write(definition.api), at: ["api"])
        for resource in definition.resources {
            lister.list(
                DefinitionKeys.resource.schema, DefinitionKeys.resource.write(resource),
                at: ["resources", resource.name], inheriting: ["pagination", "format"])
        }
        lister.list(
            DefinitionKeys.schema.schema, DefinitionKeys.schema.write(definition.schema),
            at: ["schema"])
        for entity in completed?.entities ?? definition.entities {
            lister.list(entity)
        }
        return lister.settings
    }
}

/// The listing of the settings of a file.
private struct SettingLister {
    let file: DefinitionFile
    private(set) var settings: [EffectiveSetting] = []

    init(_ file: DefinitionFile) { self.file = file }

    mutating func list(
        _ schema: ValueSchema, _ written: SourceValue?, at keys: [String],
        inheriting inherited: Set<String> = []
    ) {
        guard let object = schema.object, let members = written?.members else {
            add(keys, written)
            return
        }
        let type = written?["type"]?.scalarText.flatMap { name in
            object.cases.first { $0.type == name }
        }
        for key in object.keys where object.names(for: type).contains(key.name) {
            let path = keys + [key.name]
            if let value = members.first(where: { $0.key == key.name })?.value {
                list(key.value, value, at: path)
            } else if inherited.contains(key.name),
                let other = file.value(of: ["api", key.name])
            {
                settings.append(
                    EffectiveSetting(
                        Self.path(path), Self.text(of: other),
                        from: .inherited(file.exactLocation(of: Self.path(["api", key.name])))))
            } else if keys.count <= 2 || key.preset != nil {
                add(path, key.preset)
            }
        }
    }

    mutating func list(_ entity: EntityDefinition) {
        let keys = ["entities", entity.name]
        let declared = file.definition.entity(named: entity.name)
        add(keys + ["identity"], .sequence(entity.identity))
        for attribute in entity.attributes {
            let known = declared?.attribute(named: attribute.name)
            let path = Self.path(keys + ["attributes", attribute.name])
            let isInferred = known == nil || known?.type == .auto && attribute.type != .auto
            settings.append(
                EffectiveSetting(
                    path, attribute.type.rawValue,
                    from: isInferred ? .inferred : .file(file.location(of: path))))
        }
        for relation in entity.relations {
            let path = Self.path(keys + ["relations", relation.name])
            settings.append(
                EffectiveSetting(
                    path, relation.isToMany ? "[\(relation.entity)]" : relation.entity,
                    from: declared?.relation(named: relation.name) == nil
                        ? .inferred : .file(file.location(of: path))))
        }
    }

    private mutating func add(_ keys: [String], _ value: SourceValue?) {
        let path = Self.path(keys)
        let location = file.exactLocation(of: path)
        settings.append(
            EffectiveSetting(
                path, value.map { Self.text(of: $0) },
                from: location == nil && file.hasLocations ? .preset : .file(location)))
    }

    private static func path(_ keys: [String]) -> DocumentPath {
        DocumentPath(keys.map { .key($0) })
    }

    private static func text(of value: SourceValue) -> String {
        value.scalarText ?? JSONWriter.compact.text(of: value.document)
    }
}

extension SourceValue {
    fileprivate static func sequence(_ texts: [String]) -> SourceValue {
        texts.count == 1 ? .text(texts[0]) : SourceValue(.sequence(texts.map { .text($0) }))
    }
}

extension ValueSchema {
    /// The syntax of a mapping, if the value can be one.
    var object: ObjectSchema? {
        switch self {
        case .object(let schema): schema
        case .either(let schemas): schemas.lazy.compactMap(\.object).first
        default: nil
        }
    }
}
