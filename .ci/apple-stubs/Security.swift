// SPDX-License-Identifier: Apache-2.0

// The functions of Security that the package uses. Core Foundation's types are those to which they are
// bridged, so that `as` converts between them here as well.

public import Foundation

public typealias CFData = Data
public typealias CFArray = [Any]
public typealias CFError = any Error
public typealias CFAllocator = AnyObject
public typealias OSStatus = Int32

public final class SecTrust {}
public final class SecCertificate {}

public func SecCertificateCreateWithData(
    _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificates(
    _ trust: SecTrust, _ certificates: CFArray?
) -> OSStatus { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(
    _ trust: SecTrust, _ only: Bool
) -> OSStatus { fatalError() }
public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { fatalError() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }
