// SPDX-License-Identifier: Apache-2.0

/// Which format reads and writes which media type.
///
/// ```swift
/// var formats = FormatRegistry.standard
/// formats.register(PropertyListFormat(), for: "application/x-plist", "application/*+plist")
/// let document = try formats.read(bytes, as: MediaType("application/x-plist"))
/// ```
///
/// Only the order counts: of all registrations a type is within, the newest wins, be it an exact
/// type or a range. A type that JSON is registered for stays JSON's until a newer registration
/// covers it.
public struct FormatRegistry: Sendable {
    private struct Registration: Sendable {
        let format: any DocumentFormat
        let ranges: [MediaType]
        let isAccepted: Bool
    }

    /// Oldest first.
    private var registrations: [Registration] = []

    /// JSON for its types and for every `+json`, and URL-encoded forms.
    public static let standard: FormatRegistry = {
        var formats = FormatRegistry()
        formats.register(FormFormat(), for: .formURLEncoded, isAccepted: false)
        formats.register(JSONFormat(), for: .json, "text/json", "*/*+json")
        return formats
    }()

    /// Makes a registry without any format.
    public init() {}

    /// Adds a format, before all others.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - type: The first type or range it is for.
    ///   - others: More of them. For ranges see ``MediaType/matches(_:)``.
    ///   - isAccepted: Whether requests say in `Accept` that they take the first type; never said
    ///     of ranges that HTTP has not, such as `application/*+json`.
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

    /// The types and ranges that formats are registered for, the newest registration first.
    public var mediaTypes: [MediaType] { registrations.reversed().flatMap(\.ranges) }

    /// What requests say they accept, the newest registration first.
    public var accepted: [MediaType] {
        registrations.reversed().filter(\.isAccepted).flatMap { registration in
            registration.ranges.prefix(1).filter { $0.subtype == "*" || !$0.subtype.contains("*") }
        }
    }

    /// The format for a media type: the newest registered for a range the type is within.
    ///
    /// - Parameter type: A type; its parameters are compared only with ranges that have them.
    /// - Returns: The format; `nil` if there is none, where reading and writing throw.
    /// - Complexity: O(*n*) in the number of registered types and ranges.
    public func format(for type: MediaType) -> (any DocumentFormat)? {
        registrations.last { type.matches(anyOf: $0.ranges) }?.format
    }

    /// Reads a document in the format of a media type.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unregisteredFormat`` if no format
    ///   is registered for the type, else what the format throws.
    public func read(
        _ bytes: [UInt8], as type: MediaType, limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        try requiredFormat(for: type).read(bytes, limits: limits)
    }

    /// Writes a document in the format of a media type.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unregisteredFormat`` if no format
    ///   is registered for the type, else what the format throws.
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
