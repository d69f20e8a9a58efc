// SPDX-License-Identifier: Apache-2.0

/// A form that is sent as `multipart/form-data`: fields, data, files and streams, in order.
///
/// ```swift
/// var form = MultipartForm()
/// try form.addField("Blake", named: "name")
/// try form.addFile(at: "/tmp/blake.png", named: "portrait", contentType: "image/png")
/// try request.setForm(form)
/// ```
///
/// Names and file names go out as UTF-8; their quotes and line ends are escaped as browsers do it
/// (`%22`, `%0D`, `%0A`), all else stays as it is. A name with another control character is refused.
/// The form's length is known when that of every part is, and the form can be sent again when every
/// part can.
///
/// - Source: RFC 7578; WHATWG HTML, "multipart/form-data encoding algorithm", without its change of
///   lone line ends in names and values, which are kept.
public struct MultipartForm: Sendable {
    /// How large a form may grow.
    public struct Limits: Sendable, Hashable {
        /// Most parts; default 1,000, as many as servers commonly take.
        public var partCount = 1_000

        /// Most bytes of the whole message, delimiters included; no limit by default.
        ///
        /// Parts of unknown length are counted while they are sent.
        public var byteCount = Int.max

        /// Makes limits with the documented defaults.
        public init() {}
    }

    struct Part: Sendable {
        let header: [UInt8]
        let body: MessageBody
    }

    /// How large the form may grow.
    public let limits: Limits

    private(set) var parts: [Part] = []

    /// Makes an empty form.
    ///
    /// - Parameter limits: How large it may grow.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of parts.
    public var partCount: Int { parts.count }

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - value: The text, sent as UTF-8 without change.
    ///   - name: The field's name.
    /// - Throws: ``TransportError`` with code `invalidRequest`, naming the part by its number, when
    ///   the name holds a control character other than line ends, or there are too many parts.
    public mutating func addField(
        _ value: String, named name: String
    ) throws(TransportError) {
        try add(.bytes(Array(value.utf8)), named: name, fileName: nil, contentType: nil)
    }

    /// Adds texts by their names, as of a dictionary or of ordered pairs.
    ///
    /// - Parameter fields: Names and texts; a name may occur several times.
    /// - Throws: As ``addField(_:named:)``; the fields before the wrong one have been added.
    public mutating func addFields(
        _ fields: some Sequence<(key: String, value: String)>
    ) throws(TransportError) {
        for (name, value) in fields {
            try addField(value, named: name)
        }
    }

    /// Adds bytes held in memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - name: The field's name.
    ///   - fileName: The name of the file it stands for; `nil` for a part that is no file.
    ///   - contentType: The media type; `nil` leaves it out for a part that is no file, and is
    ///     `application/octet-stream` for one that is.
    /// - Throws: ``TransportError`` with code `invalidRequest` as ``addField(_:named:)``, or when the
    ///   content type is not one.
    public mutating func addData(
        _ bytes: [UInt8], named name: String, fileName: String? = nil, contentType: String? = nil
    ) throws(TransportError) {
        try add(.bytes(bytes), named: name, fileName: fileName, contentType: contentType)
    }

    /// Adds a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - path: The file's path; see ``MessageBody/file(at:)``.
    ///   - name: The field's name.
    ///   - fileName: The name of the file; the last component of the path when `nil`.
    ///   - contentType: The media type; `application/octet-stream` when `nil`.
    /// - Throws: ``TransportError`` with code `invalidRequest` as ``addData(_:named:fileName:contentType:)``,
    ///   and with code `bodyUnavailable` when there is no such file.
    public mutating func addFile(
        at path: String, named name: String, fileName: String? = nil, contentType: String? = nil
    ) throws(TransportError) {
        let body = try MessageBody.file(at: path)
        let ownName = path.split(separator: "/").last.map { String($0) }
        try add(body, named: name, fileName: fileName ?? ownName, contentType: contentType)
    }

    /// Adds a body from any source, such as a stream.
    ///
    /// - Parameters:
    ///   - body: What the part holds. Without a length of its own it leaves the form without one;
    ///     when it can be had only once, so can the form.
    ///   - name: The field's name.
    ///   - fileName: The name of the file it stands for; `nil` for a part that is no file.
    ///   - contentType: The media type, as in ``addData(_:named:fileName:contentType:)``.
    /// - Throws: ``TransportError`` with code `invalidRequest`.
    public mutating func add(
        _ body: MessageBody, named name: String, fileName: String?, contentType: String?
    ) throws(TransportError) {
        let number = parts.count + 1
        guard parts.count < limits.partCount else {
            throw Self.refusal(number, "more parts than the \(limits.partCount) allowed")
        }
        let header = MultipartHeader(
            name: name, fileName: fileName,
            contentType: contentType ?? fileName.map { _ in "application/octet-stream" })
        if let reason = header.refusal {
            throw Self.refusal(number, reason)
        }
        parts.append(Part(header: header.bytes, body: body))
    }

    private static func refusal(_ number: Int, _ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, reason: "part \(number): \(reason)")
    }
}
