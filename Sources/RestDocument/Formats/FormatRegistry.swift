// SPDX-License-Identifier: Apache-2.0

/// The association of media types with the formats that read and write them.
///
/// ```swift
/// var formats = FormatRegistry.standard
/// formats.register(PropertyListFormat(), for: "application/x-plist", "application/*+plist")
/// let document = try formats.read(bytes, as: MediaType("application/x-plist"))
/// ```
///
/// The newest registration that includes a type wins, whether it is an exact type or a range. A
/// type that JSON is registered for remains JSON until a newer registration includes it.
public struct FormatRegistry: Sendable {
    private struct Registration: Sendable {
        let format: any DocumentFormat
        let ranges: [MediaType]
        let isAccepted: Bool
    }

    /// The registrations, oldest first.
    private var registrations: [Registration] = []

    /// A registry of JSON, for its media types and for every `+json`, and of URL-encoded forms.
    public static let standard: FormatRegistry = {
        var formats = FormatRegistry()
        formats.register(FormFormat(), for: .formURLEncoded, isAccepted: false)
        formats.register(JSONFormat(), for: .json, "text/json", "*/*+json")
        return formats
    }()

    /// Creates an empty registry.
    public init() {}

    /// Registers a format, with precedence over all earlier registrations.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - type: The first type or range of the format.
    ///   - others: Further types and ranges; see ``MediaType/matches(_:)``.
    ///   - isAccepted: A Boolean value that indicates whether the `Accept` field of requests lists
    ///     the first type. Ranges that HTTP does not know, such as `application/*+json`, are never
    ///     listed.
    public mutating func register(
        _ format: some DocumentFormat, for type: MediaType, _ others: MediaType...,
        isAccepted: Bool = true
    ) {
        registrations.append(
            Registration(format: format, ranges: [type] + others, isAccepted: isAccepted))
    }

    /// Removes every registration of formats of a Swift type.
    public mutating func unregister<Format: DocumentFormat>(_ type: Format.Type) {
        registrations.removeAll { $0.format is Format }
    }

    /// The registered types and ranges, newest registration first.
    public var mediaTypes: [MediaType] { registrations.reversed().flatMap(\.ranges) }

    /// The types that the `Accept` field of requests lists, newest registration first.
    public var accepted: [MediaType] {
        registrations.reversed().filter(\.isAccepted).flatMap { registration in
            registration.ranges.prefix(1).filter { $0.subtype == "*" || !$0.subtype.contains("*") }
        }
    }

    /// Returns the format of the newest registration that includes a media type.
    ///
    /// - Parameter type: The media type. Its parameters are compared only with ranges that have
    ///   parameters.
    /// - Returns: The format; `nil` if no format is registered for the type. Reading and writing
    ///   throw then.
    /// - Complexity: O(*n*) in the number of registered types and ranges.
    public func format(for type: MediaType) -> (any DocumentFormat)? {
        registrations.last { type.matches(anyOf: $0.ranges) }?.format
    }

    /// Returns a document read in the format of a media type, with the encoding of its `charset`.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unregisteredFormat`` if no format
    ///   is registered for the type; otherwise the errors of the format.
    public func read(
        _ bytes: [UInt8], as type: MediaType, limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        let format = try requiredFormat(for: type)
        guard let charset = type.parameters["charset"] else {
            return try format.read(bytes, limits: limits)
        }
        return try format.read(bytes, charset: charset, limits: limits)
    }

    /// Returns a document written in the format of a media type.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unregisteredFormat`` if no format
    ///   is registered for the type; otherwise the errors of the format.
    public func write(
        _ document: Document, as type: MediaType
    ) throws(DocumentError) -> [UInt8] {
        try requiredFormat(for: type).write(document)
    }

    private func requiredFormat(
        for type: MediaType
    ) throws(DocumentError) -> any DocumentFormat {
        guard let format = format(for: type) else {
            let known = mediaTypes.map(\.description).joined(separator: ", ")
            throw DocumentError(
                .unregisteredFormat, offset: 0,
                expected: "expected a type with a format (\(known.isEmpty ? "none" : known)), "
                    + "found \(type.essence)")
        }
        return format
    }
}
