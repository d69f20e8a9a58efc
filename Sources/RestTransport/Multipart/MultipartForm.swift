// SPDX-License-Identifier: Apache-2.0

/// A form in the format `multipart/form-data`: fields, data, files and streams, in order.
///
/// ```swift
/// var form = MultipartForm()
/// try form.addField("Blake", named: "name")
/// try form.addFile(at: "/tmp/blake.png", named: "portrait", contentType: "image/png")
/// try request.setForm(form)
/// ```
///
/// Names and file names are UTF-8. Their quotes and line breaks are escaped as in browsers (`%22`,
/// `%0D`, `%0A`); other control characters are invalid. The length of the form is known if the
/// length of each part is, and the form is replayable if each part is.
///
/// - Source: RFC 7578; WHATWG HTML, "multipart/form-data encoding algorithm", without its
///   normalization of line breaks in names and values.
public struct MultipartForm: Sendable {
    /// The limits of a form.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of parts; 1,000 by default, a common limit of servers.
        public var partCount = 1_000

        /// The maximum size of the encoded form in bytes; unlimited by default.
        ///
        /// Parts of unknown length count while they are sent.
        public var byteCount = Int.max

        /// Creates limits with the default values.
        public init() {}
    }

    struct Part: Sendable {
        let header: [UInt8]
        let body: MessageBody
    }

    /// The limits.
    public let limits: Limits

    private(set) var parts: [Part] = []

    /// Creates an empty form.
    ///
    /// - Parameter limits: The limits.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of parts.
    public var partCount: Int { parts.count }

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - value: The text, sent unchanged as UTF-8.
    ///   - name: The name of the field.
    /// - Throws: ``TransportError`` with code `invalidRequest` and the number of the part, if the
    ///   name contains a control character other than a line break, or there are too many parts.
    public mutating func addField(
        _ value: String, named name: String
    ) throws(TransportError) {
        try add(.bytes(Array(value.utf8)), named: name, fileName: nil, contentType: nil)
    }

    /// Adds texts from a dictionary or a sequence of pairs.
    ///
    /// - Parameter fields: Names and texts; a name may occur several times.
    /// - Throws: The errors of ``addField(_:named:)``; the fields before the invalid one are added.
    public mutating func addFields(
        _ fields: some Sequence<(key: String, value: String)>
    ) throws(TransportError) {
        for (name, value) in fields {
            try addField(value, named: name)
        }
    }

    /// Adds bytes in memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - name: The name of the field.
    ///   - fileName: The file name, or `nil` for a part that is not a file.
    ///   - contentType: The media type. For `nil`, a file has `application/octet-stream` and
    ///     another part has none.
    /// - Throws: The errors of ``addField(_:named:)``, and ``TransportError`` with code
    ///   `invalidRequest` if the content type is not a media type.
    public mutating func addData(
        _ bytes: [UInt8], named name: String, fileName: String? = nil, contentType: String? = nil
    ) throws(TransportError) {
        try add(.bytes(bytes), named: name, fileName: fileName, contentType: contentType)
    }

    /// Adds a file, which is read while the form is sent.
    ///
    /// - Parameters:
    ///   - path: The path of the file; see ``MessageBody/file(at:)``.
    ///   - name: The name of the field.
    ///   - fileName: The file name, or `nil` for the last component of the path.
    ///   - contentType: The media type, or `nil` for `application/octet-stream`.
    /// - Throws: The errors of ``addData(_:named:fileName:contentType:)``, and ``TransportError``
    ///   with code `bodyUnavailable` if there is no such file.
    public mutating func addFile(
        at path: String, named name: String, fileName: String? = nil, contentType: String? = nil
    ) throws(TransportError) {
        let body = try MessageBody.file(at: path)
        let lastComponent = path.split(separator: "/").last.map { String($0) }
        try add(body, named: name, fileName: fileName ?? lastComponent, contentType: contentType)
    }

    /// Adds a body of any kind, such as a stream.
    ///
    /// - Parameters:
    ///   - body: The content of the part. If its length is unknown, so is that of the form; if it
    ///     is not replayable, neither is the form.
    ///   - name: The name of the field.
    ///   - fileName: The file name, or `nil` for a part that is not a file.
    ///   - contentType: The media type, as in ``addData(_:named:fileName:contentType:)``.
    /// - Throws: ``TransportError`` with code `invalidRequest`.
    public mutating func add(
        _ body: MessageBody, named name: String, fileName: String?, contentType: String?
    ) throws(TransportError) {
        let number = parts.count + 1
        guard parts.count < limits.partCount else {
            throw Self.invalidPart(number, "more parts than the \(limits.partCount) allowed")
        }
        let header = MultipartHeader(
            name: name, fileName: fileName,
            contentType: contentType ?? fileName.map { _ in "application/octet-stream" })
        if let reason = header.invalidityReason {
            throw Self.invalidPart(number, reason)
        }
        parts.append(Part(header: header.bytes, body: body))
    }

    private static func invalidPart(_ number: Int, _ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, reason: "part \(number): \(reason)")
    }
}
